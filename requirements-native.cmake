# Read by CMake inside llama-cpp-python's project() call: leaves out the helper library of llama.cpp's command-line
# tools, which the Python binding never loads and which takes as long to compile as the runtime itself.
set(LLAMA_BUILD_COMMON OFF)
