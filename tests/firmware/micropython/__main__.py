"""What runs on MicroPython, what does not and why, and how long it takes:
`python -m tests.firmware.micropython`.
"""

import sys

from .sessions import shared_results, shared_tests


def main() -> int:
    outcomes = shared_results()
    failed = 0
    for module, file in shared_tests().items():
        for test in file.tests:
            outcome = outcomes[f"{module}.{test}"]
            failed += outcome["error"] is not None
            print(f"{'FAIL' if outcome['error'] else 'ok  '} {outcome['ms']:>6} ms  {module}.{test}")
            if outcome["error"]:
                print(outcome["error"])
        for test, reason in file.left_out.items():
            print(f"CPython only     {module}.{test}: {reason}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
