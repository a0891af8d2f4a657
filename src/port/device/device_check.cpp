// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/device/device_check.h"

#include <fmt/format.h>
#include <net/if.h>
#include <rte_config.h>
#include <rte_version.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "port/device/kernel_interface.h"
#include "port/driver/driver_traits.h"
#include "port/driver/ring_entry.h"

namespace packetwarp {
namespace {

// Devices that are no ports: the EAL handles them.
constexpr std::array other_classes{"acc",      "baseband_", "bus_",   "compress_", "crypto_", "cryptodev_",
                                   "dma_",     "dmadev_",   "event_", "eventdev_", "gpu_",    "ml_",
                                   "mempool_", "octeontx_", "raw",    "regex_",    "vdpa_",   "cnxk"};

constexpr bool knows_all_arguments = RTE_VERSION < RTE_VERSION_NUM(25, 3, 0, 0);

// The least number that an argument of this kind takes; nothing: it takes other texts.
[[nodiscard]] std::optional<unsigned long> least_of(argument_value kind) {
  if (kind == argument_value::number) return 0;
  if (kind == argument_value::positive_number) return 1;
  if (kind == argument_value::frame_bytes) return 1;
  return std::nullopt;
}

// The bytes of a frame, in an mbuf or a descriptor, have 16 bits.
[[nodiscard]] unsigned long most_of(argument_value kind) {
  return kind == argument_value::frame_bytes ? UINT16_MAX : ULONG_MAX;
}

[[nodiscard]] bool is_interface(argument_value kind) {
  return kind == argument_value::interface || kind == argument_value::needed_interface;
}

void require_number(requested_device const& device, device_argument const& argument, unsigned long least,
                    std::string const& value) {
  auto const name = argument.name;
  auto const most = most_of(argument.value);
  char* end{};
  auto const number = std::strtoul(value.c_str(), &end, 0);
  bool const is_number = !value.empty() && value.front() >= '0' && value.front() <= '9' && *end == '\0';
  if (is_number && number >= least && number <= most) return;
  auto const range = most == ULONG_MAX ? fmt::format("of {} or more", least) : fmt::format("of {} to {}", least, most);
  throw usage_error(fmt::format("--vdev={}: {}={}: '{}' is no number {}", device.text, name, value, value, range));
}

void require_numbers(requested_device const& device, driver_traits const& traits) {
  for (auto const& argument : traits.arguments) {
    auto const least = least_of(argument.value);
    if (!least) continue;
    for (auto const& value : device.values_of(argument.name)) require_number(device, argument, *least, value);
  }
}

[[nodiscard]] unsigned long bytes_of(requested_device const& device, bytes_argument const& of) {
  auto const values = device.values_of(of.argument);
  return values.empty() ? of.unset : std::strtoul(values.back().c_str(), nullptr, 0);
}

void require_whole_entries(requested_device const& device, driver_traits const& traits) {
  if (traits.blocks.unset == 0) return;
  auto const entry = bytes_of(device, traits.entries);
  auto const block = bytes_of(device, traits.blocks);
  if (block % entry == 0) return;
  throw usage_error(fmt::format(
      "--vdev={}: a block of {} bytes ({}) is not a multiple of an entry of {} ({}): packets would be lost; give "
      "{}={},{}={}",
      device.text, block, traits.blocks.argument, entry, traits.entries.argument, traits.entries.argument, entry,
      traits.blocks.argument, blocks_of(entry)));
}

struct named_right {
  capability right;
  std::string_view name;
};
// The rights that drivers need to open something.
constexpr std::array named_rights{named_right{capability::net_admin, "NET_ADMIN"},
                                  named_right{capability::net_raw, "NET_RAW"}};

[[nodiscard]] std::string_view interface_remedy(surroundings where) {
  if (where == surroundings::pod) {
    return "name its network in the pod's annotation k8s.v1.cni.cncf.io/networks, with \"interface\"";
  }
  return "'ip -br link' lists them";
}

[[nodiscard]] std::string listed(std::span<std::string_view const> names, std::string_view before,
                                 std::string_view between) {
  std::string all;
  for (auto const name : names) all.append(all.empty() ? "" : between).append(before).append(name);
  return all;
}

[[nodiscard]] std::string right_remedy(std::span<std::string_view const> names, surroundings where) {
  switch (where) {
    case surroundings::pod:
      return fmt::format("add {} to securityContext.capabilities.add of the container", listed(names, "", ", "));
    case surroundings::container:
      return fmt::format("start the container with {}", listed(names, "--cap-add ", " "));
    case surroundings::machine:
      break;
  }
  return fmt::format("run as root, or: setcap {} packetwarp", setcap_of_ports);
}

[[nodiscard]] std::vector<std::string_view> names_of(std::span<device_argument const> arguments) {
  std::vector<std::string_view> names;
  for (auto const& one : arguments) names.push_back(one.name);
  return names;
}

void require_interface(requested_device const& device, std::string_view driver, device_argument const& argument,
                       surroundings where) {
  auto const& key = argument.name;
  auto const given = device.values_of(key);
  if (given.empty() && argument.value == argument_value::needed_interface) {
    throw usage_error(fmt::format("--vdev={}: {} needs an interface; give it as {}=eth1", device.text, driver, key));
  }
  for (auto const& name : given) {
    // libpcap's "any" is no interface of the kernel's.
    if (name == "any" || ::if_nametoindex(name.c_str()) != 0) continue;
    throw failure(fmt::format("--vdev={}: {}={}: there is no such interface here; {}", device.text, key, name,
                              interface_remedy(where)));
  }
}

[[nodiscard]] bool is_of_other_class(std::string_view name) {
  return std::ranges::any_of(other_classes, [&](auto const* one) { return name.starts_with(one); });
}

}  // namespace

void require_known_drivers(std::span<requested_device const> devices, drivers known) {
  if (known == drivers::and_others) return;
  for (auto const& device : devices) {
    if (driver_of_device(device.name) || is_of_other_class(device.name)) continue;
    throw usage_error(
        fmt::format("--vdev={}: no driver of DPDK makes such a port; common ones are net_null, net_pcap, net_ring, "
                    "net_af_packet, net_af_xdp, net_tap, net_memif and net_virtio_user; -d LIB.so adds others",
                    device.text));
  }
}

void require_distinct_names(std::span<requested_device const> devices) {
  for (auto one = devices.begin(); one != devices.end(); ++one) {
    if (std::find_if(devices.begin(), one, [&](auto const& other) { return other.name == one->name; }) == one) continue;
    throw usage_error(fmt::format("--vdev={}: another --vdev has the name '{}'; give each device a number of its own",
                                  one->text, one->name));
  }
}

void require_known_arguments(std::span<requested_device const> devices, drivers known) {
  if (known == drivers::and_others || !knows_all_arguments) return;
  for (auto const& device : devices) {
    auto const driver = driver_of_device(device.name);
    if (!driver || driver->traits.listed != argument_list::complete) continue;
    auto const names = names_of(driver->traits.arguments);
    for (auto const& [name, value] : device.arguments) {
      if (std::ranges::find(names, name) != names.end()) continue;
      throw usage_error(fmt::format("--vdev={}: {} has no argument '{}'; there are {}", device.text, driver->called,
                                    name, listed(names, "", ", ")));
    }
    require_numbers(device, driver->traits);
    require_whole_entries(device, driver->traits);
  }
}

void require_interfaces(std::span<requested_device const> devices, surroundings where) {
  for (auto const& device : devices) {
    auto const driver = driver_of_device(device.name);
    if (!driver) continue;
    for (auto const& [key, kind] : driver->traits.arguments) {
      if (is_interface(kind)) require_interface(device, driver->called, {key, kind}, where);
    }
  }
}

void require_unused_xdp(std::span<requested_device const> devices) {
  for (auto const& device : devices) {
    auto const driver = driver_of_device(device.name);
    if (!driver || !driver->traits.removes_xdp_program) continue;
    for (auto const& name : device.values_of("iface")) {
      if (!kernel_interface::exists(name) || !kernel_interface{name}.look().has_xdp_program) continue;
      throw usage_error(fmt::format(
          "--vdev={}: iface={}: it has an XDP program, which a plan would take off it; end the program that "
          "uses it first, or, if that is gone: ip link set dev {} xdp off",
          device.text, name, name));
    }
  }
}

void require_rights(std::span<requested_device const> devices, capability_set own, surroundings where) {
  for (auto const& device : devices) {
    auto const driver = driver_of_device(device.name);
    if (!driver) continue;
    std::vector<std::string_view> missing;
    for (auto const& [right, name] : named_rights) {
      if (driver->traits.rights_to_open.has(right) && !own.has(right)) missing.push_back(name);
    }
    if (missing.empty()) continue;
    throw usage_error(fmt::format("--vdev={}: its driver needs {}, which this process does not have; {}", device.text,
                                  listed(missing, "CAP_", " and "), right_remedy(missing, where)));
  }
}

}  // namespace packetwarp
