# Read by CMake inside llama-cpp-python's project() call: leaves out the helper library of llama.cpp's command-line
# tools, which the Python binding never loads and which takes as long to compile as the runtime itself.
set(LLAMA_BUILD_COMMON OFF)
# Processors with AMX: this llama.cpp's tiles for it end the process when weights are in the processor's order, and
# that order makes prompts several times faster, so the tiles are left out.
include(CheckCCompilerFlag)
check_c_compiler_flag(-mno-amx-int8 HEADBAND_KNOWS_AMX)
if(HEADBAND_KNOWS_AMX)
  add_compile_options(-mno-amx-tile -mno-amx-int8 -mno-amx-bf16)
endif()
