"""Every held-out figure of the micro pack, one part after the other: `python -m tests.eval [PART ...]`.

`--matrix [--cases N]` instead: accuracy by precision of each brick.
"""

import subprocess
import sys
from pathlib import Path

PACK = str(Path("models/packs/micro"))
PARTS = {
    "speech": ["models.train.eval_stt"],
    "sight": ["models.train.eval_vlm", PACK],
    "chain": ["tests.eval.chain"],
    "voice": ["models.train.eval_voice"],
    "wake": ["tests.eval.wake"],
    "endpoint": ["tests.eval.endpoint"],
    "barge": ["tests.eval.barge"],
    "gate": ["tests.eval.sound_gate"],
    "gauge": ["tests.eval.gauge"],
    "firmware": ["tests.eval.firmware"],
    "ring": ["tests.eval.ring"],
}


def main() -> int:
    if "--matrix" in sys.argv:
        rest = [argument for argument in sys.argv[1:] if argument != "--matrix"]
        return subprocess.run([sys.executable, "-m", "tests.eval.matrix", *rest], check=False).returncode
    wanted = sys.argv[1:] or list(PARTS)
    if unknown := [part for part in wanted if part not in PARTS]:
        print(f"There is no part {unknown[0]!r}; there are: {', '.join(PARTS)}.", file=sys.stderr)
        return 2
    for part in wanted:
        print(f"\n== {part}", flush=True)
        code = subprocess.run([sys.executable, "-m", *PARTS[part]], check=False).returncode
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
