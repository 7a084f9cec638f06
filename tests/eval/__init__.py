"""Measurements on held-out data, printed by `just eval`. They need the development requirements, not the
training ones.

Each folder judges one part: `hearing` and `sound_gate` what comes from the microphone, `barge` interruptions,
`motion` and `sensing` the last seconds, `sight`, `eye` and `reflex` pictures, `memory` and `memory_voice`
what is remembered, `gauge` and `power` the battery and what is drawn from it, `ring` and `soak` the
processes, `matrix` precisions, `cost` and `board_cost` time and memory here and on the board. `stranger`,
`stranger_clips` and `stranger_home` draw and ask by other code than training. What several folders use
stands beside them, as does `chain`, which goes through the whole headband.
"""
