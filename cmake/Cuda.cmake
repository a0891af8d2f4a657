# SPDX-License-Identifier: Apache-2.0
# The CUDA toolkit that ci/setup.sh linked to: its libcu++ headers are used by host code too (cuda::atomic_ref), its
# compiler only if PACKETWARP_CUDA is on.
set(PACKETWARP_CUDA_HOME "${CMAKE_CURRENT_SOURCE_DIR}/.venv/cuda" CACHE PATH "Root of the CUDA toolkit")
if(NOT EXISTS "${PACKETWARP_CUDA_HOME}/include/cuda_runtime.h")
  message(FATAL_ERROR "no CUDA toolkit in ${PACKETWARP_CUDA_HOME}; run 'make setup', "
                      "or pass -DPACKETWARP_CUDA_HOME=<root of an installed toolkit>")
endif()

add_library(packetwarp_cuda_headers INTERFACE)
target_include_directories(packetwarp_cuda_headers SYSTEM INTERFACE "${PACKETWARP_CUDA_HOME}/include")
if(EXISTS "${PACKETWARP_CUDA_HOME}/include/cccl")
  target_include_directories(packetwarp_cuda_headers SYSTEM INTERFACE "${PACKETWARP_CUDA_HOME}/include/cccl")
endif()

if(PACKETWARP_CUDA)
  set(CMAKE_CUDA_COMPILER "${PACKETWARP_CUDA_HOME}/bin/nvcc")
  # For this machine's GPUs; without one, for Hopper and later GPUs. Each architecture costs a compilation of every
  # kernel: `make package` also has PTX for all from Turing on.
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    execute_process(COMMAND nvidia-smi -L OUTPUT_VARIABLE gpus ERROR_QUIET)
    execute_process(COMMAND "${PACKETWARP_CUDA_HOME}/bin/nvcc" --help OUTPUT_VARIABLE nvcc_help ERROR_QUIET)
    if(gpus MATCHES "^GPU")
      set(CMAKE_CUDA_ARCHITECTURES native)
      # As the presets gpu and package: the assembler takes seconds, not many minutes, and `packetwarp run` is as fast
      # (docs/performance/gpu-packets.md).
      set(quickly " -Xptxas=--Ofast-compile=mid")
    else()
      set(CMAKE_CUDA_ARCHITECTURES 90)
      # Without a GPU the code is not run here: the compiler takes a fifth to a third of the time, and kernels are slower.
      set(quickly " --Ofast-compile=min")
      set(CMAKE_CUDA_FLAGS_RELWITHDEBINFO "-O1 -DNDEBUG" CACHE STRING "Options of code that only launches kernels")
      set(PACKETWARP_CUDA_QUICK ON)
    endif()
    if(nvcc_help MATCHES "--Ofast-compile")
      string(APPEND CMAKE_CUDA_FLAGS "${quickly}")
    endif()
  endif()
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
  set(CMAKE_CUDA_STANDARD 20)
  enable_language(CUDA)

  # The runtime goes into the binary; it looks for the driver (libcuda.so.1) when it is first called, so that one binary
  # serves machines with and without a GPU.
  find_library(PACKETWARP_CUDART_STATIC NAMES libcudart_static.a REQUIRED NO_DEFAULT_PATH
    PATHS "${PACKETWARP_CUDA_HOME}/lib" "${PACKETWARP_CUDA_HOME}/lib64" "${PACKETWARP_CUDA_HOME}/targets/x86_64-linux/lib")
  find_package(Threads REQUIRED)
  add_library(packetwarp_cuda_runtime INTERFACE)
  target_link_libraries(packetwarp_cuda_runtime INTERFACE
    packetwarp_cuda_headers "${PACKETWARP_CUDART_STATIC}" Threads::Threads ${CMAKE_DL_LIBS} rt)
endif()
