# SPDX-License-Identifier: Apache-2.0
# Hyperscan, or Vectorscan by the same name: an oracle and a peer for tests and benchmarks, where it is installed
# (libhyperscan-dev). The program itself never links it.
find_path(PACKETWARP_HYPERSCAN_INCLUDE hs/hs.h)
find_library(PACKETWARP_HYPERSCAN_LIBRARY NAMES hs)
mark_as_advanced(PACKETWARP_HYPERSCAN_INCLUDE PACKETWARP_HYPERSCAN_LIBRARY)

function(packetwarp_link_hyperscan target)
  if(PACKETWARP_HYPERSCAN_INCLUDE AND PACKETWARP_HYPERSCAN_LIBRARY)
    target_include_directories(${target} SYSTEM PRIVATE "${PACKETWARP_HYPERSCAN_INCLUDE}")
    target_link_libraries(${target} PRIVATE "${PACKETWARP_HYPERSCAN_LIBRARY}")
    target_compile_definitions(${target} PRIVATE PACKETWARP_HYPERSCAN)
  endif()
endfunction()
