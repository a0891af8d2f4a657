# SPDX-License-Identifier: Apache-2.0
# The target headers_alone: each header compiles as the first and only include, so that a file may include just what it
# uses. Precompiled headers, and files that are compiled as one, would hide a header's missing includes. .cuh files are
# left out: they have code for a GPU's threads alone, and nvcc compiles them with every kernel.
add_custom_target(headers_alone)

# packetwarp_headers_alone(name ROOT LINK...): the headers of ROOT/<name>, each in a file of its own that includes it.
function(packetwarp_headers_alone name root)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${root}" "${root}/${name}/*.h")
  set(sources "")
  foreach(header ${headers})
    set(source "${CMAKE_BINARY_DIR}/headers_alone/${header}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"${header}\"\n")
    list(APPEND sources "${source}")
  endforeach()
  if(NOT sources)
    return()
  endif()
  get_filename_component(of "${root}" NAME)
  set(target "headers_alone_${of}_${name}")
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${sources})
  target_link_libraries(${target} PRIVATE packetwarp_options packetwarp_cuda_headers ${ARGN})
  target_include_directories(${target} PRIVATE "${root}")
  # The objects are never run. Size checks need an optimizer (Hardening.cmake).
  target_compile_options(${target} PRIVATE -O0 -g0 -U_FORTIFY_SOURCE)
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  add_dependencies(headers_alone ${target})
endfunction()
