// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "doctor/machine/pci_devices.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace packetwarp::doctor {
namespace {

constexpr std::string_view devices_folder = "/sys/bus/pci/devices";

// The base class is the third byte of the class code (PCI Code and ID Assignment Specification).
[[nodiscard]] pci_device::kind kind_of(std::uint64_t class_code, std::uint64_t vendor) {
  auto const base = class_code >> 16;
  if (base == 0x02) return pci_device::kind::nic;
  return base == 0x03 && vendor == nvidia ? pci_device::kind::gpu : pci_device::kind::other;
}

[[nodiscard]] std::vector<pci_device> find_devices(machine_reader const& files, pci_device::kind wanted) {
  std::vector<pci_device> found;
  for (auto const& address : files.names(devices_folder)) {
    auto const folder = fmt::format("{}/{}", devices_folder, address);
    auto const vendor = files.number(folder + "/vendor");
    if (kind_of(files.number(folder + "/class"), vendor) != wanted) continue;
    found.push_back(
        {.address = address,
         .folder = folder,
         .is = wanted,
         .of = files.has(folder + "/physfn") ? pci_device::function::virtual_function : pci_device::function::physical,
         .vendor = vendor,
         .driver = files.target(folder + "/driver"),
         .interfaces = files.names(folder + "/net")});
  }
  return found;
}

// Firmware may omit a device's node, which matters only if several nodes exist.
[[nodiscard]] std::string node_of(machine_reader const& files, pci_device const& device) {
  auto const path = device.folder + "/numa_node";
  auto node = files.line(path);
  if (node == "-1" && files.has("/sys/devices/system/node/node1")) {
    throw failure(fmt::format("{} says -1: the firmware does not tell this device's NUMA node", path));
  }
  return node;
}

}  // namespace

std::vector<pci_device> find_nics(machine_reader const& files) { return find_devices(files, pci_device::kind::nic); }
std::vector<pci_device> find_gpus(machine_reader const& files) { return find_devices(files, pci_device::kind::gpu); }

std::string_view to_string(distance how_far) {
  switch (how_far) {
    case distance::pix:
      return "PIX";
    case distance::pxb:
      return "PXB";
    case distance::phb:
      return "PHB";
    case distance::node:
      return "NODE";
    case distance::sys:
      return "SYS";
  }
  return "?";
}

bool vfio_goes_without_iommu(machine_reader const& files) {
  constexpr std::string_view parameter = "/sys/module/vfio/parameters/enable_unsafe_noiommu_mode";
  return files.has(parameter) && files.line(parameter) == "Y";
}

distance distance_between(machine_reader const& files, pci_device const& a, pci_device const& b) {
  // sys/devices/pci0000:b2/0000:b2:00.0/0000:b3:00.0/.../the device: after the host bridge, each name is a bridge.
  constexpr std::size_t host_bridge = 2;
  auto const first = files.way_to(a.folder), second = files.way_to(b.folder);
  auto const parted = std::mismatch(first.begin(), first.end(), second.begin(), second.end());
  auto const shared = static_cast<std::size_t>(parted.first - first.begin());
  if (shared <= host_bridge) return node_of(files, a) == node_of(files, b) ? distance::node : distance::sys;
  // Each device is below a root port of its own.
  if (shared == host_bridge + 1) return distance::phb;
  // A switch has an upstream port, which both paths share, and a downstream port for each device.
  constexpr std::size_t downstream_port_and_device = 2;
  bool const one_switch = std::max(first.size(), second.size()) - shared <= downstream_port_and_device;
  return one_switch ? distance::pix : distance::pxb;
}

}  // namespace packetwarp::doctor
