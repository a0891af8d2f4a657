// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/device/requested_pci.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <rte_dev.h>
#include <rte_ethdev.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <set>

#include "base/error.h"
#include "memory/eal_words.h"

namespace packetwarp {
namespace {

// The name of a device's class, as the PCI Code and ID Assignment Specification has it.
constexpr std::string_view network_controller = "0x02";

[[nodiscard]] std::string first_line(std::filesystem::path const& file) {
  std::ifstream in{file};
  std::string line;
  std::getline(in, line);
  return line;
}

// The driver's name, at the end of the device's link. Empty: no driver has the device.
[[nodiscard]] std::string driver_of(std::filesystem::path const& device) {
  std::error_code failed;
  auto const link = std::filesystem::read_symlink(device / "driver", failed);
  return failed ? "" : link.filename().string();
}

[[nodiscard]] std::set<std::string, std::less<>> devices_of_ports() {
  std::set<std::string, std::less<>> names;
  for (std::uint16_t id = 0; id < RTE_MAX_ETHPORTS; ++id) {
    if (rte_eth_dev_is_valid_port(id) == 0) continue;
    rte_eth_dev_info info{};
    if (rte_eth_dev_info_get(id, &info) == 0 && info.device != nullptr) names.insert(rte_dev_name(info.device));
  }
  return names;
}

constexpr std::string_view by_resource =
    "name the device plugin's resource in the file in place of an address, port: {resource: NAME}, and set "
    "resources.limits.'NAME' of the container";

// Whether this process has the file open, as after a failed start on another device of the same group.
[[nodiscard]] bool is_open_here(std::filesystem::path const& file) {
  std::error_code failed;
  for (auto const& open : std::filesystem::directory_iterator{"/proc/self/fd", failed}) {
    if (std::filesystem::read_symlink(open.path(), failed) == file) return true;
  }
  return false;
}

[[nodiscard]] std::string of_missing_group(std::string const& file, surroundings where) {
  switch (where) {
    case surroundings::pod:
      return fmt::format("{} is not in this container; {}", file, by_resource);
    case surroundings::container:
      return fmt::format("{0} is not in this container; start it with --device {0} --device /dev/vfio/vfio", file);
    case surroundings::machine:
      break;
  }
  return fmt::format("{} is not there; bind the device to vfio-pci again", file);
}

[[nodiscard]] std::string of_closed_group(std::string const& file, surroundings where) {
  switch (where) {
    case surroundings::pod:
      return fmt::format(
          "this user may not open {}; set securityContext.runAsUser: 0, or device_ownership_from_security_context = "
          "true in the containerd of the nodes",
          file);
    case surroundings::container:
      return fmt::format("this user may not open {}; start the container as root, with --device {}", file, file);
    case surroundings::machine:
      break;
  }
  return fmt::format("this user may not open {}; run as root, or: chown $(id -u) {}", file, file);
}

// The reason why the VFIO group of a device cannot be opened. Nothing: it can be, or the device has none.
[[nodiscard]] std::optional<std::string> why_no_group(std::filesystem::path const& device, pci_place const& place) {
  std::error_code failed;
  auto const link = std::filesystem::read_symlink(device / "iommu_group", failed);
  if (failed) return std::nullopt;
  auto const file = place.groups / link.filename();
  // The name of a group while vfio goes without an IOMMU.
  if (std::filesystem::exists(place.groups / ("noiommu-" + link.filename().string()), failed)) return std::nullopt;
  int const opened = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (opened >= 0) {
    ::close(opened);
    return std::nullopt;
  }
  switch (errno) {
    case ENOENT:
      return of_missing_group(file.string(), place.where);
    case EACCES:
    case EPERM:
      return of_closed_group(file.string(), place.where);
    case EBUSY:
      if (is_open_here(file)) return std::nullopt;
      return fmt::format("another process has it ({} is busy); {}", file.string(),
                         place.where == surroundings::pod ? by_resource : "end that process, or name another device");
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::string> pci_address(std::string_view text) {
  std::array<unsigned, 4> n{};
  int read = 0;
  std::string const whole{text};
  constexpr int domain_bus_device_function = 4;
  bool const has_domain = std::sscanf(whole.c_str(), "%4x:%2x:%2x.%1x%n", &n[0], &n[1], &n[2], &n[3], &read) ==
                              domain_bus_device_function &&
                          static_cast<std::size_t>(read) == whole.size();
  if (!has_domain) {
    n[0] = 0;
    if (std::sscanf(whole.c_str(), "%2x:%2x.%1x%n", &n[1], &n[2], &n[3], &read) != domain_bus_device_function - 1 ||
        static_cast<std::size_t>(read) != whole.size()) {
      return std::nullopt;
    }
  }
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", n[0], n[1], n[2], n[3]);
}

std::vector<std::string> requested_pci(std::span<std::string const> words) {
  std::vector<std::string> found;
  for (auto const& word : read_eal_words(words)) {
    if ((word.name != "-a" && word.name != "--allow") || !word.value) continue;
    if (auto address = pci_address(std::string_view{*word.value}.substr(0, word.value->find(',')))) {
      found.push_back(std::move(*address));
    }
  }
  return found;
}

std::optional<std::string> why_no_port(std::string const& address, pci_place const& place) {
  auto const device = place.devices / address;
  if (!std::filesystem::exists(device)) {
    return fmt::format("there is no such device on PCI; {}",
                       place.where == surroundings::pod ? by_resource : "lspci -D lists those there are");
  }
  if (!first_line(device / "class").starts_with(network_controller)) return std::nullopt;
  auto const driver = driver_of(device);
  if (driver == "vfio-pci") {
    return why_no_group(device, place)
        .value_or("vfio-pci has it, and no driver of DPDK took it; its lines, if any, say why");
  }
  if (place.where == surroundings::pod) {
    return fmt::format(
        "{}; have the SR-IOV network operator give it to vfio-pci: spec.deviceType: vfio-pci of the "
        "SriovNetworkNodePolicy that makes the pod's resource",
        driver.empty() ? "no driver has it" : fmt::format("the kernel's {} has it", driver));
  }
  auto const bind = fmt::format("dpdk-devbind.py --bind=vfio-pci {}", address);
  auto const has_it = driver.empty() ? std::string{"no driver has it"} : fmt::format("the kernel's {} has it", driver);
  if (!std::filesystem::exists(device / "iommu_group")) {
    return fmt::format(
        "{}, and vfio-pci takes none while the IOMMU is off; boot with intel_iommu=on or amd_iommu=on, then: {}",
        has_it, bind);
  }
  return fmt::format("{}; {}: {}", has_it,
                     driver.empty()
                         ? "give it to DPDK"
                         : "give it to DPDK, if 'packetwarp doctor --only nic-driver' says that it is not in use",
                     bind);
}

void require_ports_on_pci(std::span<std::string const> words) {
  auto const there = devices_of_ports();
  for (auto const& address : requested_pci(words)) {
    if (there.contains(address)) continue;
    if (auto const why = why_no_port(address, {.where = find_surroundings()})) {
      throw failure(fmt::format("-a {}: {}", address, *why));
    }
  }
}

}  // namespace packetwarp
