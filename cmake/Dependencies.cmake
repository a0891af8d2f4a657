# SPDX-License-Identifier: Apache-2.0
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(DPDK REQUIRED libdpdk>=22.11)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-cpp)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)

# DPDK for compiling: its flags raise the instruction set to the baseline it was built for.
add_library(packetwarp_dpdk INTERFACE)
target_include_directories(packetwarp_dpdk SYSTEM INTERFACE ${DPDK_INCLUDE_DIRS})
set(dpdk_cflags ${DPDK_CFLAGS_OTHER})
list(FILTER dpdk_cflags EXCLUDE REGEX "^-I")
# Its configuration must come before all other headers; GCC uses a precompiled header only as the first one, so it is in
# those.
list(JOIN dpdk_cflags " " dpdk_cflags)
string(REPLACE "-include rte_config.h" "" dpdk_cflags "${dpdk_cflags}")
separate_arguments(dpdk_cflags)
# Its headers are C: warnings about their use of pointers and integers are not ours to mend.
target_compile_options(packetwarp_dpdk INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${dpdk_cflags}>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<BOOL:$<TARGET_PROPERTY:PACKETWARP_READS_PRECOMPILED>>>>:SHELL:-include rte_config.h>)
pkg_check_modules(PCAP REQUIRED IMPORTED_TARGET libpcap)
if(PACKETWARP_STATIC_DPDK)
  include(StaticDpdk)
  set_property(TARGET PkgConfig::PCAP PROPERTY INTERFACE_LINK_LIBRARIES packetwarp_dpdk)
  set(packetwarp_text_libraries fmt::fmt-header-only spdlog::spdlog_header_only)
  find_library(yaml_archive libyaml-cpp.a REQUIRED)
  set(packetwarp_yaml_libraries "${yaml_archive}")
  find_library(pcre2_archive libpcre2-8.a REQUIRED)
  set(packetwarp_pcre2_libraries "${pcre2_archive}")
  find_library(zlib_archive libz.a REQUIRED)
  set(packetwarp_inflate_libraries "${zlib_archive}")
else()
  set(packetwarp_yaml_libraries PkgConfig::YAML)
  set(packetwarp_pcre2_libraries PkgConfig::PCRE2)
  set(packetwarp_inflate_libraries PkgConfig::ZLIB)
  set(packetwarp_text_libraries fmt::fmt spdlog::spdlog)
  # net_ring has an API of its own (ports made of rings); the other drivers are found and loaded by the EAL.
  target_link_libraries(packetwarp_dpdk INTERFACE ${DPDK_LINK_LIBRARIES} rte_net_ring)
endif()

# Text formatting and logging: header-only if no shared library may be left.
add_library(packetwarp_text INTERFACE)
target_link_libraries(packetwarp_text INTERFACE ${packetwarp_text_libraries})

# Reading YAML.
add_library(packetwarp_yaml INTERFACE)
target_link_libraries(packetwarp_yaml INTERFACE ${packetwarp_yaml_libraries})

# Regular expressions of inspection rules.
add_library(packetwarp_pcre2 INTERFACE)
target_link_libraries(packetwarp_pcre2 INTERFACE ${packetwarp_pcre2_libraries})

# Verbs of RDMA devices; without libibverbs-dev they are left out. As archives the devices' libraries come with it, which
# it loads by name elsewhere (rdma-core's RDMA_STATIC_PROVIDERS). Functions of libmlx5, which
# is among them, are called, too.
pkg_check_modules(VERBS libibverbs)
pkg_check_modules(MLX5 libmlx5)
set(packetwarp_verbs_libraries ${VERBS_LINK_LIBRARIES})
add_library(packetwarp_verbs INTERFACE)
if(PACKETWARP_STATIC_DPDK AND VERBS_FOUND)
  set(packetwarp_verbs_libraries "")
  list(REMOVE_ITEM VERBS_STATIC_LIBRARIES pthread)
  foreach(name ${VERBS_STATIC_LIBRARIES})
    find_library(packetwarp_static_${name} NAMES "lib${name}.a" REQUIRED HINTS "${VERBS_LIBDIR}")
    list(APPEND packetwarp_verbs_libraries "${packetwarp_static_${name}}")
  endforeach()
  target_compile_definitions(packetwarp_verbs INTERFACE RDMA_STATIC_PROVIDERS=all)
  list(JOIN packetwarp_verbs_libraries "," archives)
  target_link_libraries(packetwarp_verbs INTERFACE "$<LINK_GROUP:RESCAN,${archives}>")
else()
  target_link_libraries(packetwarp_verbs INTERFACE ${packetwarp_verbs_libraries} ${MLX5_LINK_LIBRARIES})
endif()

# Decoding the bodies of messages.
add_library(packetwarp_inflate INTERFACE)
target_link_libraries(packetwarp_inflate INTERFACE ${packetwarp_inflate_libraries})

if(PACKETWARP_TESTS)
  find_package(GTest REQUIRED)
endif()
if(PACKETWARP_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()
