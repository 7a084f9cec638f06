"""Healing of the eye's exits: a pack's own full depth teaches its earlier exits, without a label.

`progressive` trains one suite of low-rank changes for all exits, exit by exit: what is before an exit that is
done stays as it is, so that an activation that was stored there can still be taken on. `heads` changes only
what places an activation, `per_exit` and `joint` are there to be compared with.
"""
