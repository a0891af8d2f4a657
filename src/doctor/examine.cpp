// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "doctor/examine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "doctor/check/checks.h"
#include "doctor/check/each.h"
#include "doctor/machine/text.h"

namespace packetwarp::doctor {
namespace {

constexpr std::array checks{
    check{"hugepages", "memory", "packets of a NIC lie in hugepages, on the node of the worker that reads them",
          check_hugepages},
    check{"hugepage-size", "memory", "a TLB holds a whole packet pool in a few pages of 1 GiB", check_hugepage_size},
    check{"hugetlbfs", "memory", "other processes reach the packet pool through it", check_hugetlbfs},
    check{"zone-reclaim", "memory", "a node that is full must not stop workers to clean up", check_zone_reclaim},
    check{"swappiness", "memory", "a worker that waits for a disk loses packets", check_swappiness},
    check{"isolcpus", "cpu", "another program on a worker's CPU takes its time, and packets wait", check_isolcpus},
    check{"nohz-full", "cpu", "the scheduler's tick interrupts a worker up to 1000 times per second", check_nohz_full},
    check{"rcu-nocbs", "cpu", "the kernel's RCU callbacks run on the CPU that made them, unless they are moved",
          check_rcu_nocbs},
    check{"watchdogs", "cpu", "they interrupt workers, and take polling for a lockup", check_watchdogs},
    check{"hyperthreads", "cpu", "two workers on one core take its caches and execution units from each other",
          check_hyperthreads},
    check{"clocksource", "cpu", "every other clock takes a system call or a trip to a device", check_clocksource},
    check{"tsc", "cpu", "it is the data path's clock", check_tsc},
    check{"c-states", "cpu", "a CPU that has to wake up first is late, and so is a PCIe link that sleeps with it",
          check_c_states},
    check{"governor", "cpu", "a CPU that speeds up only under load is slow when a burst comes", check_governor},
    check{"turbo", "cpu", "packets per second grow with the clock", check_turbo},
    check{"iommu", "pci", "translating every access costs the device throughput", check_iommu},
    check{"iommu-faults", "pci", "an access that the IOMMU refuses is lost, and with it a packet or a whole queue",
          check_iommu_faults},
    check{"pcie-link", "pci", "a slot with fewer lanes, or of an older generation, bounds packets per second",
          check_pcie_link},
    check{"max-read-request", "pci", "the NIC fetches packets in pieces no larger than this", check_max_read_request},
    check{"nic-node", "pci", "packets that cross between NUMA nodes take longer", check_nic_node},
    check{"gpu-driver", "gpu", "without it no GPU executor starts", check_gpu_driver},
    check{"cuda", "gpu", "the driver must be as new as the CUDA that packetwarp was built with", check_cuda},
    check{"gpudirect", "gpu", "by it a NIC writes into GPU memory; without, packets are copied", check_gpudirect},
    check{"gdrcopy", "gpu", "by it the CPU reads and writes GPU memory without a copy by the driver", check_gdrcopy},
    check{"gpu-distance", "gpu", "packets between NIC and GPU are fastest through one PCIe switch, past the CPU",
          check_gpu_distance},
    check{"nic-driver", "nic", "DPDK drives a NIC through vfio-pci, or beside mlx5", check_nic_driver},
    check{"cqe-compression", "nic", "completions of several packets in one: fewer bytes over PCIe for small packets",
          check_cqe_compression},
    check{"link-type", "nic", "a port that speaks InfiniBand is no Ethernet port", check_link_type},
    check{"pause-frames", "nic", "a receiver that falls behind stops the sender, and loss no longer shows",
          check_pause_frames},
    check{"rdma-netns", "nic", "a container sees the RDMA devices of its own network namespace only if exclusive",
          check_rdma_netns},
    check{"rdma-device", "rdma", "rdma-bw and rdma-lat write by it with --transport verbs or mlx5", check_rdma_device},
    check{"rdma-doorbell", "rdma", "a GPU that rings a NIC's doorbells needs no CPU thread", check_rdma_doorbell},
    check{"rdma-payload", "rdma", "a NIC reads and writes GPU memory without a copy in host memory",
          check_rdma_payload},
    check{"rdma-mode", "rdma", "--transport mlx5 would run like this", check_rdma_mode},
    check{"capabilities", "container", "memory is locked, sockets and devices are opened by right of them",
          check_capabilities},
    check{"locked-memory", "container", "memory that a device reads and writes must be locked", check_locked_memory},
    check{"cpus-allowed", "container", "an lcore runs only on a CPU that this process may use", check_cpus_allowed},
    check{"cpu-quota", "container", "a worker that polls uses all of it, and is then stopped for milliseconds",
          check_cpu_quota},
    check{"memory-limit", "container", "a process that meets it is killed", check_memory_limit},
    check{"hugetlb-limit", "container", "hugepages beyond it end the process (SIGBUS), free or not",
          check_hugetlb_limit},
};

// The names that --only accepts: subjects, then checks.
[[nodiscard]] std::string names() {
  std::string subjects, ids;
  std::string_view last;
  for (auto const& one : checks) {
    if (one.subject != last) subjects += fmt::format("{}{}", subjects.empty() ? "" : ", ", one.subject);
    ids += fmt::format(", {}", one.id);
    last = one.subject;
  }
  return subjects + ids;
}

void add_findings(machine const& m, check const& one, std::vector<finding>& into) {
  std::vector<reading> readings;
  try {
    readings = one.read(m);
  } catch (failure const& unread) {
    readings = just(status::unknown, unread.what());
  }
  for (auto& seen : readings) {
    into.push_back({.id = one.id, .subject = one.subject, .why = one.why, .seen = std::move(seen)});
  }
}

}  // namespace

std::string_view to_string(status what) {
  switch (what) {
    case status::ok:
      return "ok";
    case status::warn:
      return "warn";
    case status::fail:
      return "fail";
    case status::skip:
      return "skip";
    case status::unknown:
      return "unknown";
  }
  return "?";
}

std::span<check const> all_checks() { return checks; }

std::vector<check const*> choose_checks(std::string_view only) {
  auto const wanted = split(only, ",");
  bool const has_empty_name = only.starts_with(',') || only.ends_with(',') || only.find(",,") != only.npos;
  if (has_empty_name) throw usage_error(fmt::format("--only: '{}' has an empty name; allowed are {}", only, names()));
  for (auto const name : wanted) {
    bool const is_known = std::any_of(checks.begin(), checks.end(),
                                      [&](auto const& one) { return one.id == name || one.subject == name; });
    if (!is_known) throw usage_error(fmt::format("--only: no check is called '{}'; allowed are {}", name, names()));
  }
  std::vector<check const*> chosen;
  for (auto const& one : checks) {
    bool const is_chosen = std::any_of(wanted.begin(), wanted.end(),
                                       [&](auto const& name) { return one.id == name || one.subject == name; });
    if (wanted.empty() || is_chosen) chosen.push_back(&one);
  }
  return chosen;
}

std::vector<finding> examine(machine const& m, std::vector<check const*> const& chosen) {
  std::vector<finding> findings;
  for (auto const* one : chosen) add_findings(m, *one, findings);
  return findings;
}

bool any_fails(std::vector<finding> const& findings) {
  return std::any_of(findings.begin(), findings.end(), [](auto const& one) { return one.seen.is == status::fail; });
}

}  // namespace packetwarp::doctor
