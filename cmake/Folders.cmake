# SPDX-License-Identifier: Apache-2.0
# How to declare a folder's library, a test, a fuzz target and a benchmark; this file has their common options.

add_library(packetwarp_options INTERFACE)
target_include_directories(packetwarp_options INTERFACE "${CMAKE_CURRENT_SOURCE_DIR}/src")
# Warnings are errors with the compilers that every change is checked with; other compilers may have unknown warnings,
# and under a sanitizer GCC 12 warns of code that it has itself rewritten.
set(packetwarp_checked_with $<OR:$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>,$<AND:$<CXX_COMPILER_ID:Clang>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,15>>>)
if(PACKETWARP_SANITIZE)
  set(packetwarp_checked_with 0)
endif()
target_compile_options(packetwarp_options INTERFACE
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,${packetwarp_checked_with}>:-Werror>
  # GCC 12 sees overlaps in std::string that do not exist (GCC bug 105651).
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-Wsign-conversion>
  # Tests are compiled together, where one file's constants are above another's locals.
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<BOOL:$<TARGET_PROPERTY:PACKETWARP_IS_TEST>>>>:-Wshadow>
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra;--Werror=all-warnings;--expt-relaxed-constexpr>)
if(PACKETWARP_SANITIZE)
  target_compile_options(packetwarp_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${PACKETWARP_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>)
  if(PACKETWARP_SANITIZE MATCHES "address.*undefined")
    # ASan finds the same errors at the access itself; these checks are a fifth of the compiler's time.
    target_compile_options(packetwarp_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null,object-size>)
  endif()
  target_link_options(packetwarp_options INTERFACE -fsanitize=${PACKETWARP_SANITIZE})
  # Sixty programs: 0.6 s each with GNU ld, 0.1 s with this.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    get_filename_component(beside_clang "${CMAKE_CXX_COMPILER}" REALPATH)
    get_filename_component(beside_clang "${beside_clang}" DIRECTORY)
    find_program(packetwarp_lld ld.lld HINTS "${beside_clang}")
    if(packetwarp_lld)
      target_link_options(packetwarp_options INTERFACE -fuse-ld=lld)
    endif()
  endif()
endif()
if(PACKETWARP_FUZZ)
  # The fuzzer's guidance is a quarter of the compiler's time. Targets that no fuzz target calls have the option, too,
  # because they read the same precompiled headers, and take its effect back.
  target_compile_options(packetwarp_options INTERFACE
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<BOOL:$<TARGET_PROPERTY:PACKETWARP_IS_TEST>>>>:-fsanitize=fuzzer-no-link>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:$<TARGET_PROPERTY:PACKETWARP_UNFUZZED>>>:-fno-sanitize-coverage=inline-8bit-counters,indirect-calls,trace-cmp,pc-table>)
endif()

# Without a need for speed ASan's checks are calls: a fifth less work for the compiler.
set(packetwarp_small_checks "")
if(PACKETWARP_SANITIZE MATCHES "address")
  set(packetwarp_small_checks $<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-mllvm -asan-instrumentation-with-call-threshold=0>)
endif()

# packetwarp_precompiled(target kind OPTION...): the target reads headers that were compiled once for all of its kind
# (folder, off_path, test) that are compiled with these options. Reading them is a third of the compiler's time.
function(packetwarp_precompiled target kind)
  set(headers "packetwarp_headers_${kind}")
  # GCC reads them whether a target has guards or not. With -O0 and without, which sanitized targets of a kind mix, it does not.
  if(PACKETWARP_SANITIZE OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    string(MAKE_C_IDENTIFIER "${headers}_${ARGN}" headers)
  endif()
  if(NOT TARGET ${headers})
    set(all <rte_config.h> <algorithm> <array> <atomic> <chrono> <cstdint> <functional> <map> <memory> <optional> <span> <string>
            <string_view> <variant> <vector> <cuda/atomic> <rte_ethdev.h> <rte_mbuf.h> <fmt/format.h> "${PROJECT_SOURCE_DIR}/src/base/format_once.h")
    set(links packetwarp_options packetwarp_text packetwarp_dpdk packetwarp_cuda_headers)
    if(kind STREQUAL off_path)
      # Not CLI11: what its header keeps in each unit that reads it takes the compiler three seconds.
      list(APPEND all <filesystem> <future> <thread> <nlohmann/json.hpp>)
      list(APPEND links nlohmann_json::nlohmann_json)
    elseif(kind STREQUAL test)
      list(APPEND all <thread> <gmock/gmock.h> <gtest/gtest.h>)
      list(APPEND links GTest::gmock)
    endif()
    file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/headers/${headers}.cpp" CONTENT "")
    add_library(${headers} OBJECT "${CMAKE_BINARY_DIR}/headers/${headers}.cpp")
    target_link_libraries(${headers} PRIVATE ${links})
    target_compile_options(${headers} PRIVATE ${ARGN})
    if(kind STREQUAL test)
      set_target_properties(${headers} PROPERTIES PACKETWARP_IS_TEST ON)
    endif()
    target_precompile_headers(${headers} PRIVATE ${all})
    packetwarp_reads_precompiled(${headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
  packetwarp_reads_precompiled(${target})
endfunction()

function(packetwarp_reads_precompiled target)
  set_target_properties(${target} PROPERTIES PACKETWARP_READS_PRECOMPILED ON)
  # The data by which ccache distinguishes these headers.
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess> $<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>)
endfunction()

# packetwarp_alone(FILE...): files that read no precompiled headers, because they define macros for DPDK's headers.
macro(packetwarp_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS "-include;rte_config.h"
    COMPILE_DEFINITIONS ALLOW_EXPERIMENTAL_API)
endmacro()

# packetwarp_off_path(target): none of its files handles packets; optimizing them takes half of their compiler's time
# without a measurable effect.
function(packetwarp_off_path target)
  if(PACKETWARP_SANITIZE)
    set(options $<$<COMPILE_LANGUAGE:CXX>:-O0> ${packetwarp_small_checks})
  else()
    # GCC 12 then knows less of std::optional, and takes values that it cannot follow for uninitialized.
    set(options $<$<COMPILE_LANGUAGE:CXX>:-O1> $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)
  endif()
  list(APPEND options ${packetwarp_guard})
  target_compile_options(${target} PRIVATE ${options})
  packetwarp_precompiled(${target} off_path ${options})
endfunction()

# packetwarp_folder(name [OFF_PATH] [GUARDED] [UNFUZZED] [FEW_PACKETS_TESTED] SOURCES a.cpp ... LINKS packetwarp::base
# ...): the library of src/<name>, header-only without SOURCES. GUARDED: it reads the input of strangers or users and
# forwards no packets, so that its functions guard their frames (Hardening.cmake), like OFF_PATH's. UNFUZZED: no fuzz
# target calls it. FEW_PACKETS_TESTED: it is not optimized under a sanitizer, because its tests have so few packets that
# compiling takes longer than they do.
function(packetwarp_folder name)
  cmake_parse_arguments(arg "OFF_PATH;GUARDED;UNFUZZED;FEW_PACKETS_TESTED" "" "SOURCES;LINKS" ${ARGN})
  if(arg_SOURCES)
    add_library(packetwarp_${name} STATIC ${arg_SOURCES})
    target_link_libraries(packetwarp_${name} PUBLIC packetwarp_options ${arg_LINKS})
    set_target_properties(packetwarp_${name} PROPERTIES PACKETWARP_UNFUZZED ${arg_UNFUZZED})
    if(arg_OFF_PATH OR (arg_FEW_PACKETS_TESTED AND PACKETWARP_SANITIZE))
      packetwarp_off_path(packetwarp_${name})
    else()
      set(options "")
      if(arg_GUARDED)
        set(options ${packetwarp_guard})
      endif()
      target_compile_options(packetwarp_${name} PRIVATE ${options})
      packetwarp_precompiled(packetwarp_${name} folder ${options})
    endif()
  else()
    add_library(packetwarp_${name} INTERFACE)
    target_link_libraries(packetwarp_${name} INTERFACE packetwarp_options ${arg_LINKS})
  endif()
  add_library(packetwarp::${name} ALIAS packetwarp_${name})
endfunction()

# packetwarp_parts(name): folders within src/<name> that list files of its library, or libraries beside it, each in a
# CMakeLists.txt of its own. CMake finds a new folder by itself.
macro(packetwarp_parts name)
  file(GLOB parts CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt")
  foreach(part ${parts})
    get_filename_component(part "${part}" DIRECTORY)
    add_subdirectory("${part}")
  endforeach()
endmacro()

# packetwarp_help_page(target name FILE): adds the string packetwarp::help::<name> with the file's text, which --help prints.
function(packetwarp_help_page target name file)
  set(page "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${page}")
  file(READ "${page}" text)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}_page.cpp")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT "#include <string_view>\nnamespace packetwarp::help {
extern std::string_view const ${name};\nstd::string_view const ${name} = R\"page(${text})page\";\n}\n")
  target_sources(${target} PRIVATE "${source}")
endfunction()

# Programs that end-to-end tests run beside packetwarp itself.
add_custom_target(end_to_end_programs)

# The test programs with the label "threads": everything for a ThreadSanitizer build.
add_custom_target(thread_tests)

# The test programs with the label "chains", which contain every chain, those with the labels "gpu" and "off_path", and all
# others.
add_custom_target(chain_tests)
add_custom_target(device_tests)
add_custom_target(off_path_tests)
add_custom_target(unit_tests)
add_custom_target(benchmarks)

# packetwarp_test(name [HEAVY] [OFF_PATH] [OF_GENERATOR] SOURCES a_test.cpp ... LINKS ...): a GoogleTest program; exit status
# 43 means "skipped". OFF_PATH: it tests commands' options and reports, `bench` or the doctor, which handle no packets and
# take long to compile: make test-tools has it under ASan, by the label "off_path", and make test-release has not.
# OF_GENERATOR: make test-tools has it under ASan too.
function(packetwarp_test name)
  if(NOT PACKETWARP_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "HEAVY;OFF_PATH;OF_GENERATOR" "" "SOURCES;LINKS;LABELS" ${ARGN})
  if(arg_OF_GENERATOR AND PACKETWARP_SANITIZE)
    set(arg_OFF_PATH ON)
  endif()
  if(arg_OFF_PATH)
    list(APPEND arg_LABELS off_path)
  endif()
  # These only have threads race, on code that other tests try by itself: ThreadSanitizer's work, not ASan's.
  set(are_races OFF)
  if(name MATCHES "_threads_test$")
    set(are_races ON)
    list(APPEND arg_LABELS races)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINKS} GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  # A test's own code need not be fast, and GoogleTest's macros take the optimizer long: half of the compiler's time if
  # a sanitizer's checks are optimized too. HEAVY: much of its work is inlined into the test.
  if(PACKETWARP_SANITIZE AND NOT arg_HEAVY)
    set(options $<$<COMPILE_LANGUAGE:CXX>:-O0> ${packetwarp_small_checks})
  else()
    set(options $<$<COMPILE_LANGUAGE:CXX>:-O1>)
  endif()
  target_compile_options(${name} PRIVATE ${options})
  packetwarp_precompiled(${name} test ${options})
  set_target_properties(${name} PROPERTIES PACKETWARP_IS_TEST ON)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 43 TIMEOUT 900 LABELS "${arg_LABELS}")
  if("chains" IN_LIST arg_LABELS)
    add_dependencies(chain_tests ${name})
  elseif("gpu" IN_LIST arg_LABELS)
    add_dependencies(device_tests ${name})
  elseif(arg_OFF_PATH)
    add_dependencies(off_path_tests ${name})
  elseif(NOT (are_races AND PACKETWARP_SANITIZE))
    add_dependencies(unit_tests ${name})
  endif()
  if("threads" IN_LIST arg_LABELS)
    add_dependencies(thread_tests ${name})
    # Threads that wait for each other take a second with a processor each; with fewer, a minute. Other tests have a few of them.
    if(are_races OR name STREQUAL "workforce_test")
      set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
    else()
      set_tests_properties(${name} PROPERTIES PROCESSORS 3)
    endif()
  endif()
endfunction()

# Everything for fuzzing.
add_custom_target(fuzz_targets)

# packetwarp_fuzz(name SOURCE x.cpp LINKS ...): a libFuzzer program, which only the target fuzz_targets builds; its corpus is
# tests/fuzz/corpus/<name>.
function(packetwarp_fuzz name)
  if(NOT PACKETWARP_FUZZ)
    return()
  endif()
  cmake_parse_arguments(arg "" "SOURCE" "LINKS" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${arg_SOURCE})
  target_link_libraries(${name} PRIVATE ${arg_LINKS})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  packetwarp_precompiled(${name} folder)
  add_dependencies(fuzz_targets ${name})
endfunction()

# packetwarp_benchmark(name SOURCES x_bench.cpp LINKS ...): a Google Benchmark program.
function(packetwarp_benchmark name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINKS} benchmark::benchmark_main)
  add_dependencies(benchmarks ${name})
endfunction()
