# SPDX-License-Identifier: Apache-2.0
# DPDK and its dependencies as archives: one binary that needs only glibc. Drivers register themselves in constructors,
# so they are linked whole; drivers of NICs that need a vendor's shared libraries (mlx5, mana, ...) are not in it.
set(packetwarp_static_drivers
  bus_auxiliary bus_pci bus_vdev bus_vmbus mempool_ring mempool_stack common_iavf common_idpf
  net_null net_ring net_pcap net_tap net_af_packet net_af_xdp net_memif net_virtio net_vhost net_bond net_failsafe
  net_vdev_netvsc net_netvsc net_e1000 net_igc net_ixgbe net_i40e net_iavf net_ice net_idpf net_ena net_vmxnet3 net_bnxt
  net_axgbe net_ionic net_gve)
set(packetwarp_static_libraries
  vhost dmadev cryptodev ip_frag fib rib lpm acl gso gro latencystats bitratestats metrics cmdline pdump pcapng bpf hash
  timer power reorder sched security member stack ethdev meter net mbuf mempool rcu ring pci eal telemetry kvargs)
# In the order the archives need each other.
set(packetwarp_static_system xdp bpf elf pcap numa bsd md jansson crypto z atomic)

set(drivers "")
foreach(name ${packetwarp_static_drivers})
  list(APPEND drivers "${DPDK_LIBDIR}/librte_${name}.a")
endforeach()
set(libraries "")
foreach(name ${packetwarp_static_libraries})
  list(APPEND libraries "${DPDK_LIBDIR}/librte_${name}.a")
endforeach()
foreach(name ${packetwarp_static_system})
  find_library(packetwarp_static_${name} NAMES "lib${name}.a" REQUIRED
    HINTS "${DPDK_LIBDIR}" ${CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES})
  list(APPEND libraries "${packetwarp_static_${name}}")
endforeach()
list(JOIN drivers "," drivers)
list(JOIN libraries "," libraries)

add_library(packetwarp_pcap_without_dbus STATIC cmake/static_dpdk/pcap_without_dbus.c)
target_link_libraries(packetwarp_dpdk INTERFACE
  "$<LINK_LIBRARY:WHOLE_ARCHIVE,${drivers},packetwarp_pcap_without_dbus>" "$<LINK_GROUP:RESCAN,${libraries}>"
  Threads::Threads ${CMAKE_DL_LIBS} m)
# rte_bpf and libpcap both have a function bpf_validate. The first one linked is rte_bpf's, which only its own loader
# calls; libpcap calls its own by another name.
target_link_options(packetwarp_dpdk INTERFACE -Wl,-z,muldefs)
add_link_options(-static-libgcc -static-libstdc++)
