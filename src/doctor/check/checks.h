// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "doctor/finding.h"
#include "doctor/machine/machine.h"

// docs/doctor.md gives each check's sources, its right values and their origin. All of them throw failure if nothing
// can be read.
namespace packetwarp::doctor {

// memory_checks.cpp
[[nodiscard]] std::vector<reading> check_hugepages(machine const& m);
[[nodiscard]] std::vector<reading> check_hugepage_size(machine const& m);
[[nodiscard]] std::vector<reading> check_hugetlbfs(machine const& m);
[[nodiscard]] std::vector<reading> check_zone_reclaim(machine const& m);
[[nodiscard]] std::vector<reading> check_swappiness(machine const& m);
// isolation_checks.cpp
[[nodiscard]] std::vector<reading> check_isolcpus(machine const& m);
[[nodiscard]] std::vector<reading> check_nohz_full(machine const& m);
[[nodiscard]] std::vector<reading> check_rcu_nocbs(machine const& m);
[[nodiscard]] std::vector<reading> check_watchdogs(machine const& m);
[[nodiscard]] std::vector<reading> check_hyperthreads(machine const& m);
// clock_checks.cpp
[[nodiscard]] std::vector<reading> check_clocksource(machine const& m);
[[nodiscard]] std::vector<reading> check_tsc(machine const& m);
[[nodiscard]] std::vector<reading> check_c_states(machine const& m);
[[nodiscard]] std::vector<reading> check_governor(machine const& m);
[[nodiscard]] std::vector<reading> check_turbo(machine const& m);
// pci_checks.cpp
[[nodiscard]] std::vector<reading> check_iommu(machine const& m);
[[nodiscard]] std::vector<reading> check_pcie_link(machine const& m);
[[nodiscard]] std::vector<reading> check_max_read_request(machine const& m);
[[nodiscard]] std::vector<reading> check_nic_node(machine const& m);
// fault_checks.cpp
[[nodiscard]] std::vector<reading> check_iommu_faults(machine const& m);
// gpu_checks.cpp
[[nodiscard]] std::vector<reading> check_gpu_driver(machine const& m);
[[nodiscard]] std::vector<reading> check_cuda(machine const& m);
[[nodiscard]] std::vector<reading> check_gpudirect(machine const& m);
[[nodiscard]] std::vector<reading> check_gdrcopy(machine const& m);
[[nodiscard]] std::vector<reading> check_gpu_distance(machine const& m);
// nic_checks.cpp
[[nodiscard]] std::vector<reading> check_nic_driver(machine const& m);
[[nodiscard]] std::vector<reading> check_cqe_compression(machine const& m);
[[nodiscard]] std::vector<reading> check_link_type(machine const& m);
[[nodiscard]] std::vector<reading> check_pause_frames(machine const& m);
[[nodiscard]] std::vector<reading> check_rdma_netns(machine const& m);
// rdma_checks.cpp
[[nodiscard]] std::vector<reading> check_rdma_device(machine const& m);
[[nodiscard]] std::vector<reading> check_rdma_doorbell(machine const& m);
[[nodiscard]] std::vector<reading> check_rdma_payload(machine const& m);
[[nodiscard]] std::vector<reading> check_rdma_mode(machine const& m);
// container_checks.cpp
[[nodiscard]] std::vector<reading> check_capabilities(machine const& m);
[[nodiscard]] std::vector<reading> check_locked_memory(machine const& m);
[[nodiscard]] std::vector<reading> check_cpus_allowed(machine const& m);
[[nodiscard]] std::vector<reading> check_cpu_quota(machine const& m);
[[nodiscard]] std::vector<reading> check_memory_limit(machine const& m);
[[nodiscard]] std::vector<reading> check_hugetlb_limit(machine const& m);

}  // namespace packetwarp::doctor
