// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "doctor/machine/machine_reader.h"

namespace packetwarp::doctor {

struct pci_device {
  enum class kind : std::uint8_t { nic, gpu, other };
  enum class function : std::uint8_t { physical, virtual_function };
  std::string address{};  // "0000:b5:00.0"
  std::string folder{};   // its folder in sysfs
  kind is{kind::other};
  function of{function::physical};
  std::uint64_t vendor{};
  std::string driver{};                   // the driver that it is bound to; empty: none
  std::vector<std::string> interfaces{};  // the kernel's names for it: eth1
};

inline constexpr std::uint64_t mellanox = 0x15b3;
inline constexpr std::uint64_t nvidia = 0x10de;

// Network controllers of any vendor, and NVIDIA's GPUs. Throws failure.
[[nodiscard]] std::vector<pci_device> find_nics(machine_reader const& files);
[[nodiscard]] std::vector<pci_device> find_gpus(machine_reader const& files);

// Whether vfio accepts devices without an IOMMU: a parameter of its module. Throws failure.
[[nodiscard]] bool vfio_goes_without_iommu(machine_reader const& files);

// The hardware between two devices, nearest first; the names are those of 'nvidia-smi topo -m'.
enum class distance : std::uint8_t {
  pix,   // one PCIe switch
  pxb,   // several PCIe switches, but no host bridge
  phb,   // a host bridge of the CPU
  node,  // two host bridges of one NUMA node
  sys    // the link between NUMA nodes
};
[[nodiscard]] std::string_view to_string(distance how_far);
// Throws failure.
[[nodiscard]] distance distance_between(machine_reader const& files, pci_device const& a, pci_device const& b);

}  // namespace packetwarp::doctor
