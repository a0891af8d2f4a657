# SPDX-License-Identifier: Apache-2.0
# One way to declare a folder's library, a test, a fuzz target and a benchmark; what they share is said here once.

add_library(packetwarp_options INTERFACE)
target_include_directories(packetwarp_options INTERFACE "${CMAKE_CURRENT_SOURCE_DIR}/src")
# Warnings are errors with the compilers that every change is checked with; others may know warnings that we have not
# met, and under a sanitizer GCC 12 warns of code that it has itself rewritten.
set(packetwarp_checked_with $<OR:$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>,$<AND:$<CXX_COMPILER_ID:Clang>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,15>>>)
if(PACKETWARP_SANITIZE)
  set(packetwarp_checked_with 0)
endif()
target_compile_options(packetwarp_options INTERFACE
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,${packetwarp_checked_with}>:-Werror>
  # GCC 12 sees overlaps in std::string that are not there (GCC bug 105651).
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-Wsign-conversion>
  # Tests are compiled together, where one file's constants are above another's locals.
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<BOOL:$<TARGET_PROPERTY:PACKETWARP_IS_TEST>>>>:-Wshadow>
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra;--Werror=all-warnings;--expt-relaxed-constexpr>)
if(PACKETWARP_SANITIZE)
  target_compile_options(packetwarp_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${PACKETWARP_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>)
  target_link_options(packetwarp_options INTERFACE -fsanitize=${PACKETWARP_SANITIZE})
endif()
if(PACKETWARP_FUZZ)
  # What the fuzzer steers by; the tests that are built beside its targets do not mind.
  target_compile_options(packetwarp_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link>)
endif()

# packetwarp_folder(name [OFF_PATH] SOURCES a.cpp ... LINKS packetwarp::base ...): the library of src/<name>, header-only
# without SOURCES. OFF_PATH: none of its files handles packets; optimizing them costs half of their compiler's time for
# nothing that anyone could measure.
function(packetwarp_folder name)
  cmake_parse_arguments(arg "OFF_PATH" "" "SOURCES;LINKS" ${ARGN})
  if(arg_SOURCES)
    add_library(packetwarp_${name} STATIC ${arg_SOURCES})
    target_link_libraries(packetwarp_${name} PUBLIC packetwarp_options ${arg_LINKS})
    if(arg_OFF_PATH AND PACKETWARP_SANITIZE)
      target_compile_options(packetwarp_${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O0>)
    elseif(arg_OFF_PATH)
      # GCC 12 sees less of std::optional then, and takes what it cannot follow for uninitialized.
      target_compile_options(packetwarp_${name} PRIVATE
        $<$<COMPILE_LANGUAGE:CXX>:-O1> $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)
    endif()
  else()
    add_library(packetwarp_${name} INTERFACE)
    target_link_libraries(packetwarp_${name} INTERFACE packetwarp_options ${arg_LINKS})
  endif()
  add_library(packetwarp::${name} ALIAS packetwarp_${name})
endfunction()

# What end-to-end tests run beside packetwarp itself.
add_custom_target(end_to_end_programs)

# The test programs with the label "threads": all that a ThreadSanitizer build has to build.
add_custom_target(thread_tests)

# packetwarp_test(name [HEAVY] SOURCES a_test.cpp ... LINKS ...): a GoogleTest program; exit status 43 means "skipped".
function(packetwarp_test name)
  if(NOT PACKETWARP_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "HEAVY" "" "SOURCES;LINKS;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINKS} GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  # What a test itself does need not be fast, and GoogleTest's macros take the optimizer long: half of the compiler's time
  # where a sanitizer's checks are optimized too. HEAVY: much of its work is inlined into the test.
  if(PACKETWARP_SANITIZE AND NOT arg_HEAVY AND NOT PACKETWARP_SANITIZE STREQUAL "thread")
    set(optimization -O0)
  else()
    set(optimization -O1)
  endif()
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${optimization}>)
  set_target_properties(${name} PROPERTIES PACKETWARP_IS_TEST ON)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 43 TIMEOUT 300 LABELS "${arg_LABELS}")
  if("threads" IN_LIST arg_LABELS)
    add_dependencies(thread_tests ${name})
    # Threads that wait for each other with a processor each take a second; with less than that, a minute.
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()

# All that fuzzing has to build.
add_custom_target(fuzz_targets)

# packetwarp_fuzz(name SOURCE x.cpp LINKS ...): a libFuzzer program; its corpus is tests/fuzz/corpus/<name>.
function(packetwarp_fuzz name)
  if(NOT PACKETWARP_FUZZ)
    return()
  endif()
  cmake_parse_arguments(arg "" "SOURCE" "LINKS" ${ARGN})
  add_executable(${name} ${arg_SOURCE})
  target_link_libraries(${name} PRIVATE ${arg_LINKS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzz_targets ${name})
endfunction()

# packetwarp_benchmark(name SOURCES x_bench.cpp LINKS ...): a Google Benchmark program.
function(packetwarp_benchmark name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINKS} benchmark::benchmark_main)
endfunction()
