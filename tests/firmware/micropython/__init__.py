"""The firmware on the interpreter it is written for: MicroPython, compiled to WebAssembly, under Node.

`interpreter` finds and runs it; `portable` prepares test files, so that the same bodies run on both
interpreters; `lib` is what those files import there; `board` is an emulated microcontroller for `pmu.board`.
"""
