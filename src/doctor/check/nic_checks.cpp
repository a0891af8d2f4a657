// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "doctor/check/checks.h"
#include "doctor/check/each.h"
#include "doctor/machine/nic_use.h"
#include "doctor/machine/pci_devices.h"
#include "doctor/machine/text.h"

namespace packetwarp::doctor {
namespace {

// vfio-pci accepts no device without an IOMMU, unless its module's parameter allows it.
[[nodiscard]] bool vfio_takes(machine const& m, pci_device const& nic) {
  return m.files.has(nic.folder + "/iommu_group") || vfio_goes_without_iommu(m.files);
}

[[nodiscard]] remedies to_vfio(pci_device const& nic) {
  auto const bind = fmt::format("dpdk-devbind.py --bind=vfio-pci {}", nic.address);
  return {.on_machine = bind,
          .of_container = bind,
          .in_manifest = "SriovNetworkNodePolicy: spec.deviceType: vfio-pci, for the pool that has this device"};
}

[[nodiscard]] reading driver_of(machine const& m, pci_device const& nic) {
  if (nic.driver.empty() && !vfio_takes(m, nic)) {
    return found(status::warn, "none, and vfio-pci takes no device while the IOMMU is off",
                 boot_parameters{"intel_iommu=on amd_iommu=on iommu=pt"});
  }
  if (nic.driver.empty()) {
    return found(m, status::warn, "none", to_vfio(nic));
  }
  if (nic.driver == "mlx5_core" || nic.driver == "mlx4_core" || nic.driver == "vfio-pci") {
    return found(status::ok, nic.driver);
  }
  auto const use = use_of(m.files, nic);
  switch (use.is) {
    case nic_use::degree::default_route:
      return found(status::skip, fmt::format("{}: {}, so the kernel keeps it", nic.driver, use.text));
    case nic_use::degree::up:
      return found(status::warn, fmt::format("{}: the kernel has it, and {}; no command takes away a device in use",
                                             nic.driver, use.text));
    case nic_use::degree::none:
      break;
  }
  if (!vfio_takes(m, nic)) {
    return found(status::warn,
                 fmt::format("{}: the kernel has it, and vfio-pci takes no device while the IOMMU is off", nic.driver),
                 boot_parameters{"intel_iommu=on amd_iommu=on iommu=pt"});
  }
  return found(m, status::warn, fmt::format("{}: the kernel has it, and its interface is down", nic.driver),
               to_vfio(nic));
}

// A setting of a Mellanox NIC's firmware: its current value, and its value from the next reset on.
struct firmware_setting {
  std::string now;
  std::string next;
};

// A setting's line holds its name and then its default, its current value and its value at the next boot, each in the
// form "BALANCED(0)". A value that differs from the default has an asterisk before it.
[[nodiscard]] std::optional<firmware_setting> find_setting(std::string_view printed, std::string_view name) {
  for (auto const line : lines_of(printed)) {
    auto words = words_of(line);
    if (!words.empty() && words.front() == "*") words.erase(words.begin());
    if (words.empty() || words.front() != name) continue;
    if (words.size() == 4) return firmware_setting{.now = std::string{words[2]}, .next = std::string{words[3]}};
  }
  return std::nullopt;
}

// The program of NVIDIA's firmware tools, or its counterpart in Debian's mstflint.
[[nodiscard]] std::string configurator(machine const& m) {
  for (auto const* name : {"mlxconfig", "mstconfig"}) {
    if (m.programs.is_installed(name)) return name;
  }
  return {};
}

struct wanted_setting {
  std::string_view name;
  std::string_view value;  // the number in parentheses
  std::string_view if_missing;
};

// Asks the firmware; empty if it has no setting of this name. Throws failure.
[[nodiscard]] std::optional<firmware_setting> ask_setting(machine const& m, std::vector<std::string> const& words) {
  auto const& name = words.back();
  std::string printed;
  try {
    printed = m.programs.output_of(words);
  } catch (failure const& failed) {
    // The message for a setting that this NIC does not have.
    if (std::string_view{failed.what()}.find("support " + name) != std::string_view::npos) return std::nullopt;
    throw;
  }
  auto setting = find_setting(printed, name);
  if (!setting) throw failure(fmt::format("{} does not print {} as packetwarp knows it", words.front(), name));
  return setting;
}

[[nodiscard]] reading check_setting(machine const& m, pci_device const& nic, wanted_setting const& wanted) {
  auto const program = configurator(m);
  if (program.empty()) {
    return found(status::unknown, "mlxconfig is not installed, nor mstconfig", "apt-get install mstflint");
  }
  auto const setting = ask_setting(m, {program, "-d", nic.address, "-e", "query", std::string{wanted.name}});
  if (!setting) return found(status::skip, std::string{wanted.if_missing});

  auto const is_right = [&](std::string_view value) { return value.ends_with(fmt::format("({})", wanted.value)); };
  auto text = fmt::format("{} is {}", wanted.name, setting->now);
  if (setting->now != setting->next) text += fmt::format(", {} after a reset", setting->next);
  auto const set = fmt::format("{} -d {} -y set {}={}", program, nic.address, wanted.name, wanted.value);
  auto const reset =
      fmt::format("{} -d {} -y reset", program == "mlxconfig" ? "mlxfwreset" : "mstfwreset", nic.address);
  bool const carries_all = use_of(m.files, nic).is == nic_use::degree::default_route;
  if (carries_all && !(is_right(setting->now) && is_right(setting->next))) {
    return found(status::warn, text + "; a reset would cut off the default route, which it carries");
  }
  if (is_right(setting->now)) return is_right(setting->next) ? found(status::ok, text) : found(status::warn, text, set);
  return found(status::warn, text, is_right(setting->next) ? reset : set + " && " + reset);
}

[[nodiscard]] std::vector<reading> check_firmware(machine const& m, wanted_setting const& wanted) {
  auto nics = find_nics(m.files);
  std::erase_if(
      nics, [](auto const& nic) { return nic.vendor != mellanox || nic.of == pci_device::function::virtual_function; });
  if (nics.empty()) return just(status::skip, "no NIC of NVIDIA (Mellanox)");
  return read_each(nics, [&](auto const& nic) { return check_setting(m, nic, wanted); });
}

// ethtool -a prints "RX:" and "TX:", each with "on" or "off" after it.
[[nodiscard]] reading pause_of(machine const& m, pci_device const& nic) {
  auto const& interface = nic.interfaces.front();
  std::string text;
  bool is_on = false;
  auto const printed = m.programs.output_of({"ethtool", "-a", interface});
  for (auto const line : lines_of(printed)) {
    auto const words = words_of(line);
    if (words.size() != 2 || (words[0] != "RX:" && words[0] != "TX:")) continue;
    if (words[1] != "on" && words[1] != "off") continue;
    is_on |= words[1] == "on";
    text += fmt::format("{}{} {}", text.empty() ? interface + ": " : ", ", words[0].substr(0, 2), words[1]);
  }
  if (text.find("RX") == text.npos || text.find("TX") == text.npos) {
    throw failure(fmt::format("ethtool -a {} does not say whether RX and TX are on or off", interface));
  }
  if (!is_on) return found(status::ok, text);
  // The command takes the link down for a moment.
  if (use_of(m.files, nic).is == nic_use::degree::default_route) {
    return found(status::warn, text + "; it carries the default route");
  }
  return found(status::warn, text, fmt::format("ethtool -A {} rx off tx off", interface));
}

}  // namespace

std::vector<reading> check_nic_driver(machine const& m) {
  auto const nics = find_nics(m.files);
  if (nics.empty()) return just(status::skip, "no NIC on PCI");
  return read_each(nics, [&](auto const& nic) { return driver_of(m, nic); });
}

std::vector<reading> check_cqe_compression(machine const& m) {
  return check_firmware(m, {.name = "CQE_COMPRESSION", .value = "1", .if_missing = "its firmware has no such setting"});
}

std::vector<reading> check_link_type(machine const& m) {
  return check_firmware(m, {.name = "LINK_TYPE_P1", .value = "2", .if_missing = "Ethernet is all that it speaks"});
}

std::vector<reading> check_pause_frames(machine const& m) {
  auto nics = find_nics(m.files);
  std::erase_if(nics, [](auto const& nic) { return nic.interfaces.empty(); });
  if (nics.empty()) return just(status::skip, "no NIC on PCI with an interface of the kernel");
  if (!m.programs.is_installed("ethtool")) {
    return just(status::unknown, "ethtool is not installed", "apt-get install ethtool");
  }
  return read_each(nics, [&](auto const& nic) { return pause_of(m, nic); });
}

std::vector<reading> check_rdma_netns(machine const& m) {
  constexpr std::string_view mode = "/sys/module/ib_core/parameters/netns_mode";
  if (!m.files.has("/sys/module/ib_core")) return just(status::skip, "no RDMA here (ib_core is not loaded)");
  auto const is_shared = m.files.line(mode);
  if (is_shared == "N") return just(status::ok, "exclusive");
  if (is_shared != "Y") throw failure(fmt::format("{} holds neither Y nor N", mode));
  return just(status::warn, "shared",
              "rdma system set netns exclusive && echo 'options ib_core netns_mode=0' > /etc/modprobe.d/ib_core.conf");
}

}  // namespace packetwarp::doctor
