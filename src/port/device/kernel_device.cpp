// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/device/kernel_device.h"

#include <fmt/format.h>
#include <rte_dev.h>
#include <rte_ethdev.h>
#include <rte_log.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "base/log/log.h"
#include "base/process/container.h"
#include "base/process/privileges.h"
#include "port/device/kernel_interface.h"
#include "port/device/tap_hold.h"
#include "port/driver/driver_traits.h"
#include "wire/address_text.h"

namespace packetwarp {
namespace {

constexpr char const* vhost_net = "/dev/vhost-net";
constexpr char const* tun = "/dev/net/tun";

[[nodiscard]] bool can_open(char const* device) { return ::access(device, R_OK | W_OK) == 0; }

// DPDK finds a driver by the beginning of the device's name; the rest of the name tells devices apart.
[[nodiscard]] std::string device_name(kernel_driver driver, std::string const& interface) {
  return fmt::format("{}_{}", driver == kernel_driver::tap ? tap_driver : virtio_user_driver, interface);
}

[[nodiscard]] std::string arguments_of(kernel_driver driver, kernel_device_config const& config) {
  auto const mac = wire::to_text(config.mac);
  if (driver == kernel_driver::tap) return fmt::format("iface={},mac={},persist=1", config.interface, mac);
  return fmt::format("path={},queues=1,queue_size=1024,iface={},mac={}", vhost_net, config.interface, mac);
}

// Silences net_tap, which warns at length that this kernel has no queueing discipline for flow rules, though a kernel
// interface has no flow rules, and that no second process exists. A log level that a user has raised stays.
class quiet_tap {
 public:
  quiet_tap() : type_{rte_log_register("pmd.net.tap")}, level_{rte_log_get_level(static_cast<unsigned>(type_))} {
    if (level_ <= static_cast<int>(RTE_LOG_WARNING)) rte_log_set_level(static_cast<unsigned>(type_), RTE_LOG_CRIT);
  }
  void end() const { rte_log_set_level(static_cast<unsigned>(type_), static_cast<unsigned>(level_)); }

 private:
  int type_;
  int level_;
};

[[nodiscard]] int hotplug(std::string const& name, std::string const& arguments) {
  quiet_tap const quiet;
  int const result = rte_eal_hotplug_add("vdev", name.c_str(), arguments.c_str());
  if (result == 0) return 0;
  // The second call logs the driver's own reason.
  quiet.end();
  return rte_eal_hotplug_add("vdev", name.c_str(), arguments.c_str());
}

constexpr std::string_view mark_start = "packetwarp: ";

// FNV-1a of 64 bits (Fowler, Noll and Vo): the same for every build, unlike std::hash.
[[nodiscard]] std::uint64_t digest_of(std::string_view text) {
  std::uint64_t made = 0xcbf29ce484222325U;
  for (char const one : text) made = (made ^ static_cast<unsigned char>(one)) * 0x100000001b3U;
  return made;
}

[[nodiscard]] std::string mark_of(kernel_device_config const& config) {
  auto const all = fmt::format("{} {} {}", to_string(choose_kernel_driver(config.driver)), wire::to_text(config.mac),
                               config.settings);
  return fmt::format("{}kept for a restart {:016x}", mark_start, digest_of(all));
}

void require(std::string const& label, kernel_interface::refusal const& refused) {
  if (refused) throw failure(fmt::format("{}: {}", label, *refused));
}

// Whether there is an interface that a process has kept by this mark. An interface that was kept for other settings is
// removed.
[[nodiscard]] bool find_kept(std::string const& interface, std::string_view mark, std::string const& label) {
  if (!kernel_interface::exists(interface)) return false;
  kernel_interface there{interface};
  auto const seen = there.look();
  if (seen.has_carrier || !seen.alias.starts_with(mark_start)) {
    throw failure(
        fmt::format("{}: there is an interface of that name already; give the kernel interface another", label));
  }
  if (seen.alias == mark) return true;
  log().info("{}: an earlier run kept it for other settings; it is made anew", label);
  require(label, there.remove());
  return false;
}

void require_net_admin(std::string const& label) {
  if (own_capabilities().has(capability::net_admin)) return;
  throw usage_error(fmt::format(
      "{}: making it needs CAP_NET_ADMIN, which this process does not have; {}", label,
      find_surroundings() == surroundings::pod
          ? "add NET_ADMIN to securityContext.capabilities.add of the container"
          : fmt::format("run as root, or: setcap {} packetwarp; a container: --cap-add NET_ADMIN", setcap_of_ports)));
}

}  // namespace

std::string_view to_string(kernel_driver driver) {
  switch (driver) {
    case kernel_driver::automatic:
      return "auto";
    case kernel_driver::virtio_user:
      return "virtio_user";
    case kernel_driver::tap:
      return "tap";
  }
  return "unknown";
}

kernel_driver choose_kernel_driver(kernel_driver asked) {
  if (asked != kernel_driver::automatic) return asked;
  return can_open(vhost_net) ? kernel_driver::virtio_user : kernel_driver::tap;
}

bool is_interface_name(std::string_view name) {
  // The rules of dev_valid_name() in the kernel; besides, a comma or a bracket would end a device's argument.
  return !name.empty() && name.size() <= max_interface_name && name != "." && name != ".." &&
         std::none_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isspace(c) != 0 || std::iscntrl(c) != 0 ||
                  std::string_view{"/:,[]=%"}.find(static_cast<char>(c)) != std::string_view::npos;
         });
}

kernel_device::kernel_device(kernel_device_config const& config)
    : name_{device_name(choose_kernel_driver(config.driver), config.interface)},
      interface_{config.interface},
      mark_{mark_of(config)},
      driver_{choose_kernel_driver(config.driver)} {
  bool const is_tap = driver_ == kernel_driver::tap;
  auto const* const needed = is_tap ? tun : vhost_net;
  auto const label = fmt::format("kernel interface {} ({})", config.interface, to_string(driver_));
  if (!can_open(needed)) {
    throw failure(
        fmt::format("{}: {} cannot be opened for reading and writing; {}", label, needed,
                    is_tap ? "run as root: modprobe tun" : "run as root: modprobe vhost_net; or give 'driver: tap'"));
  }
  require_net_admin(label);
  was_kept_ = find_kept(config.interface, mark_, label);
  if (is_tap) {
    make_tap(config, label);
  } else {
    plug_in(config, label);
  }
}

// net_tap with `persist` leaves the interface up when its port is closed, but also makes it outlive the process,
// however that ends: a process that is killed must not leave routes. So its life ends with the process again.
void kernel_device::make_tap(kernel_device_config const& config, std::string const& label) {
  tap_hold const held{config.interface};
  if (!was_kept_) require(label, kernel_interface{config.interface}.set_alias(std::string{mark_start} + "being made"));
  try {
    plug_in(config, label);
  } catch (failure const&) {
    if (!was_kept_) held.set_life(interface_life::attached);
    throw;
  }
  held.set_life(interface_life::attached);
  require(label, kernel_interface{config.interface}.set_alias(""));
}

void kernel_device::plug_in(kernel_device_config const& config, std::string const& label) {
  int const result = hotplug(name_, arguments_of(driver_, config));
  if (result != 0) {
    throw failure(
        fmt::format("{}: it could not be made: {}; it takes CAP_NET_ADMIN, and the driver's lines above say "
                    "more",
                    label, rte_strerror(-result)));
  }
  std::uint16_t id{};
  if (rte_eth_dev_get_port_by_name(name_.c_str(), &id) != 0) {
    (void)rte_eal_hotplug_remove("vdev", name_.c_str());
    throw failure(fmt::format("{}: the driver made no port; its lines above say why", label));
  }
  id_ = port_id{id};
}

std::optional<std::string> kernel_device::keep() const {
  if (driver_ != kernel_driver::tap) {
    return fmt::format("its driver {} cannot leave it to the next run; give 'driver: tap'", to_string(driver_));
  }
  try {
    // The mark comes first: an interface that outlives its process has one, whatever ends the process meanwhile.
    if (auto refused = kernel_interface{interface_}.set_alias(mark_)) return refused;
    tap_hold{interface_}.set_life(interface_life::removed);
    return std::nullopt;
  } catch (failure const& wrong) {
    return wrong.what();
  }
}

kernel_device::~kernel_device() {
  if (int const result = rte_eal_hotplug_remove("vdev", name_.c_str()); result != 0) {
    log().warn("{}: the device is not taken out ({}); its interface goes with the process", name_,
               rte_strerror(-result));
  }
}

}  // namespace packetwarp
