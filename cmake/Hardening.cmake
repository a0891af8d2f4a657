# SPDX-License-Identifier: Apache-2.0
# Options that make a mistake in memory harder to exploit, in all builds except the ones that search for such mistakes
# themselves.
#
# Always, because it costs packets nothing: the dynamic linker's tables are read-only before main (full RELRO), no stack
# is executable, and the program's address is drawn anew at each start (PIE, the default of Debian's compilers).
#
# With PACKETWARP_HARDENED: the C library's functions check the size of the memory that they write to (FORTIFY),
# indirect calls go to the beginnings of functions (CET, which a loader enforces only if all libraries have it: Debian
# 12's have not), and functions with arrays check whether they wrote over their frame (stack protector). The last is for
# folders that read the input of strangers and users and forward no packets (GUARDED and OFF_PATH in Folders.cmake). In
# this form it costs packets no more than 1 % (benchmarks/results/amd-epyc-2-cpus/hardening.txt); with a stack protector
# in all folders, routing was 4 % slower in a comparison of builds that differed in more.
option(PACKETWARP_HARDENED "Stack protector, FORTIFY and CET" ON)
set(packetwarp_guard "")
if(PACKETWARP_SANITIZE)
  return()
endif()
add_link_options(LINKER:-z,relro,-z,now,-z,noexecstack)

if(NOT PACKETWARP_HARDENED)
  return()
endif()
set(packetwarp_guard "$<$<COMPILE_LANGUAGE:C,CXX>:-fstack-protector-strong>")
add_compile_options(
  "$<$<COMPILE_LANGUAGE:C,CXX>:-fcf-protection=full>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fcf-protection=full>")
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")  # it needs an optimizer
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
endif()
