#!/bin/sh
# Makes micropython.mjs and micropython.wasm: MicroPython 1.28.0 for WebAssembly with the 32-bit floats of an RP2040, where the
# published build has doubles. Run it beside a checkout of micropython v1.28.0 with its submodule lib/micropython-lib, with
# Emscripten 3.1.6 (Debian 12's; needs patches that a newer one does not: no arrow functions in library.js, no JavaScript
# optimiser). MicroPython is under the MIT licence (LICENSE there).   sh build.sh CHECKOUT
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
cd "$1"
port=ports/webassembly
sed -i 's/(MICROPY_FLOAT_IMPL_DOUBLE)/(MICROPY_FLOAT_IMPL_FLOAT)/' $port/mpconfigport.h
sed -i -e 's/ -Werror -Wdouble-promotion -Wfloat-conversion//' \
    -e 's/^JSFLAGS += --js-library library.js$/& -O1 -s ASSERTIONS=0 -s ENVIRONMENT=node/' $port/Makefile
python3 - $port/library.js <<'PYTHON'
import re, sys
text = open(sys.argv[1]).read()
text = text.replace("mp_js_hook: () => {", "mp_js_hook: function () {")
text = re.sub(r"(mp_js_\w+): \(\) =>\s*([^{][^\n]*),\n", r"\1: function () { return \2; },\n", text)
open(sys.argv[1], "w").write(text)
PYTHON
make -C mpy-cross
make -C $port VARIANT=pyscript
cp $port/build-pyscript/micropython.mjs $port/build-pyscript/micropython.wasm "$here/"
