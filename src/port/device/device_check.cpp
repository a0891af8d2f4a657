// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/device/device_check.h"

#include <fmt/format.h>
#include <net/if.h>
#include <rte_config.h>
#include <rte_version.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace packetwarp {
namespace {

// RTE_PMD_REGISTER_VDEV and RTE_PMD_REGISTER_ALIAS of DPDK 22.11 to 24.11, drivers/net. The EAL gives a device to the
// driver whose name the device's name begins with.
constexpr std::array net_drivers{"net_af_packet", "net_af_xdp", "net_bonding", "net_failsafe",    "net_kni",
                                 "net_memif",     "net_mvneta", "net_mvpp2",   "net_null",        "net_octeontx",
                                 "net_pcap",      "net_pfe",    "net_ring",    "net_softnic",     "net_tap",
                                 "net_tun",       "net_dpaa",   "net_vhost",   "net_vdev_netvsc", "net_virtio_user",
                                 "eth_af_packet", "eth_bond",   "eth_mvneta",  "eth_mvpp2",       "eth_null",
                                 "eth_octeontx",  "eth_pcap",   "eth_ring",    "eth_tap",         "eth_vdev_netvsc",
                                 "eth_vhost",     "virtio_user"};
// Devices that are no ports: the EAL handles them.
constexpr std::array other_classes{"acc",      "baseband_", "bus_",   "compress_", "crypto_", "cryptodev_",
                                   "dma_",     "dmadev_",   "event_", "eventdev_", "gpu_",    "ml_",
                                   "mempool_", "octeontx_", "raw",    "regex_",    "vdpa_",   "cnxk"};

struct interface_key {
  std::string_view driver;
  std::string_view key;
  bool is_needed;  // else the driver works without it
};
constexpr std::array interface_keys{
    interface_key{"net_af_packet", "iface", true}, interface_key{"eth_af_packet", "iface", true},
    interface_key{"net_af_xdp", "iface", true},    interface_key{"net_pcap", "iface", false},
    interface_key{"net_pcap", "rx_iface", false},  interface_key{"net_pcap", "rx_iface_in", false},
    interface_key{"net_pcap", "tx_iface", false},  interface_key{"eth_pcap", "iface", false}};

// A driver's arguments, as of DPDK 22.11 to 24.11. Later versions may have more.
struct driver_arguments {
  std::string_view driver;
  std::string_view names;
};
constexpr std::array known_arguments{
    driver_arguments{"null", "size, copy, no-rx"},
    driver_arguments{"pcap", "rx_pcap, tx_pcap, rx_iface, rx_iface_in, tx_iface, iface, phy_mac, infinite_rx"},
    driver_arguments{"ring", "nodeaction, internal"},
    driver_arguments{"af_packet", "iface, qpairs, blocksz, framesz, framecnt, qdisc_bypass"},
    driver_arguments{"tap", "iface, remote, mac, persist"},
    driver_arguments{"memif",
                     "role, id, bsize, rsize, socket, socket-abstract, owner-uid, owner-gid, mac, secret, zero-copy"}};
constexpr bool knows_all_arguments = RTE_VERSION < RTE_VERSION_NUM(25, 3, 0, 0);

// Arguments whose values are numbers. A driver takes any other text for 0, or fails without naming the argument.
struct number_argument {
  std::string_view driver;
  std::string_view name;
  unsigned long least;
};
constexpr std::array number_arguments{
    number_argument{"null", "size", 1},          number_argument{"null", "copy", 0},
    number_argument{"null", "no-rx", 0},         number_argument{"pcap", "phy_mac", 0},
    number_argument{"pcap", "infinite_rx", 0},   number_argument{"af_packet", "qpairs", 1},
    number_argument{"af_packet", "blocksz", 1},  number_argument{"af_packet", "framesz", 1},
    number_argument{"af_packet", "framecnt", 1}, number_argument{"af_packet", "qdisc_bypass", 0},
    number_argument{"memif", "id", 0},           number_argument{"memif", "bsize", 1},
    number_argument{"memif", "rsize", 1}};

void require_number(requested_device const& device, number_argument const& which, std::string const& value) {
  char* end{};
  auto const number = std::strtoul(value.c_str(), &end, 0);
  bool const is_number = !value.empty() && value.front() >= '0' && value.front() <= '9' && *end == '\0';
  if (is_number && number >= which.least) return;
  throw usage_error(fmt::format("--vdev={}: {}={}: '{}' is no number of {} or more", device.text, which.name, value,
                                value, which.least));
}

void require_numbers(requested_device const& device, std::string_view kind) {
  for (auto const& which : number_arguments) {
    if (!kind.starts_with(which.driver)) continue;
    for (auto const& value : device.values_of(which.name)) require_number(device, which, value);
  }
}

[[nodiscard]] bool has_name(std::string_view names, std::string_view wanted) {
  while (!names.empty()) {
    auto const end = std::min(names.find(", "), names.size());
    if (names.substr(0, end) == wanted) return true;
    names.remove_prefix(std::min(end + 2, names.size()));
  }
  return false;
}

struct needed_right {
  std::string_view driver;
  capability right;
  std::string_view name;
};
// A packet socket takes NET_RAW, and the start of its port, which sets the interface's address and flags, NET_ADMIN.
constexpr std::array needed_rights{needed_right{"net_af_packet", capability::net_admin, "NET_ADMIN"},
                                   needed_right{"net_af_packet", capability::net_raw, "NET_RAW"},
                                   needed_right{"eth_af_packet", capability::net_admin, "NET_ADMIN"},
                                   needed_right{"eth_af_packet", capability::net_raw, "NET_RAW"},
                                   needed_right{"net_tap", capability::net_admin, "NET_ADMIN"},
                                   needed_right{"eth_tap", capability::net_admin, "NET_ADMIN"}};

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

template <class Names>
[[nodiscard]] bool begins_with_one_of(std::string_view name, Names const& names) {
  return std::ranges::any_of(names, [&](auto const* one) { return name.starts_with(one); });
}

}  // namespace

void require_known_drivers(std::span<requested_device const> devices, drivers known) {
  if (known == drivers::and_others) return;
  for (auto const& device : devices) {
    if (begins_with_one_of(device.name, net_drivers) || begins_with_one_of(device.name, other_classes)) continue;
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
  constexpr std::size_t before = std::string_view{"net_"}.size();  // or eth_
  for (auto const& device : devices) {
    if (!device.name.starts_with("net_") && !device.name.starts_with("eth_")) continue;
    auto const kind = std::string_view{device.name}.substr(before);
    auto const found =
        std::ranges::find_if(known_arguments, [&](auto const& one) { return kind.starts_with(one.driver); });
    if (found == known_arguments.end()) continue;
    for (auto const& [name, value] : device.arguments) {
      if (has_name(found->names, name)) continue;
      throw usage_error(fmt::format("--vdev={}: {}{} has no argument '{}'; there are {}", device.text,
                                    device.name.substr(0, before), found->driver, name, found->names));
    }
    require_numbers(device, kind);
  }
}

void require_interfaces(std::span<requested_device const> devices, surroundings where) {
  for (auto const& device : devices) {
    for (auto const& [driver, key, is_needed] : interface_keys) {
      if (!device.name.starts_with(driver)) continue;
      auto const given = device.values_of(key);
      if (given.empty() && is_needed) {
        throw usage_error(
            fmt::format("--vdev={}: {} needs an interface; give it as {}=eth1", device.text, driver, key));
      }
      for (auto const& name : given) {
        // libpcap's "any" is no interface of the kernel's.
        if (name == "any" || ::if_nametoindex(name.c_str()) != 0) continue;
        throw usage_error(fmt::format("--vdev={}: {}={}: there is no such interface here; {}", device.text, key, name,
                                      interface_remedy(where)));
      }
    }
  }
}

void require_rights(std::span<requested_device const> devices, capability_set own, surroundings where) {
  for (auto const& device : devices) {
    std::vector<std::string_view> missing;
    for (auto const& [driver, right, name] : needed_rights) {
      if (device.name.starts_with(driver) && !own.has(right)) missing.push_back(name);
    }
    if (missing.empty()) continue;
    throw usage_error(fmt::format("--vdev={}: its driver needs {}, which this process does not have; {}", device.text,
                                  listed(missing, "CAP_", " and "), right_remedy(missing, where)));
  }
}

}  // namespace packetwarp
