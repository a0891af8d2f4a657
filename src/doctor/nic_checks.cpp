// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "doctor/checks.h"
#include "doctor/each.h"
#include "doctor/pci_devices.h"
#include "doctor/text.h"

namespace packetwarp::doctor {
namespace {

[[nodiscard]] reading driver_of(pci_device const& nic) {
  if (nic.driver.empty()) {
    return {.of = {},
            .is = status::warn,
            .text = "none",
            .command = fmt::format("dpdk-devbind.py --bind=vfio-pci {}", nic.address)};
  }
  if (nic.driver == "mlx5_core" || nic.driver == "mlx4_core" || nic.driver == "vfio-pci") {
    return {.of = {}, .is = status::ok, .text = nic.driver, .command = {}};
  }
  // The one command here that may cut off who gives it: the reading says so.
  return {.of = {},
          .is = status::warn,
          .text = fmt::format("{}: the kernel has it; do not take away what you are connected over", nic.driver),
          .command = fmt::format("dpdk-devbind.py --bind=vfio-pci {}", nic.address)};
}

// A setting of a Mellanox NIC's firmware: what it is now, and from the next reset on.
struct firmware_setting {
  std::string now;
  std::string next;
};

// A setting's line holds its name and, behind it, the default, the current value and the one of the next boot: each
// "BALANCED(0)". What differs from the default has an asterisk before it.
[[nodiscard]] std::optional<firmware_setting> find_setting(std::string_view printed, std::string_view name) {
  for (auto const line : lines_of(printed)) {
    auto words = words_of(line);
    if (!words.empty() && words.front() == "*") words.erase(words.begin());
    if (words.empty() || words.front() != name) continue;
    if (words.size() == 4) return firmware_setting{.now = std::string{words[2]}, .next = std::string{words[3]}};
  }
  return std::nullopt;
}

// The program of NVIDIA's firmware tools, or the same of Debian's mstflint.
[[nodiscard]] std::string configurator(machine const& m) {
  for (auto const* name : {"mlxconfig", "mstconfig"}) {
    if (m.programs.is_installed(name)) return name;
  }
  return {};
}

struct wanted_setting {
  std::string_view name;
  std::string_view value;  // as a number: what stands in parentheses
  std::string_view if_missing;
};

[[nodiscard]] reading check_setting(machine const& m, pci_device const& nic, wanted_setting const& wanted) {
  auto const program = configurator(m);
  if (program.empty()) {
    return {.of = {},
            .is = status::unknown,
            .text = "mlxconfig is not installed, nor mstconfig",
            .command = "apt-get install mstflint"};
  }
  std::string printed;
  try {
    printed = m.programs.output_of({program, "-d", nic.address, "-e", "query", std::string{wanted.name}});
  } catch (failure const& failed) {
    // How it says that this NIC has no such setting.
    if (std::string_view{failed.what()}.find("support " + std::string{wanted.name}) == std::string_view::npos) throw;
    return {.of = {}, .is = status::skip, .text = std::string{wanted.if_missing}, .command = {}};
  }
  auto const setting = find_setting(printed, wanted.name);
  if (!setting) throw failure(fmt::format("{} does not print {} as packetwarp knows it", program, wanted.name));
  auto const is_right = [&](std::string_view value) { return value.ends_with(fmt::format("({})", wanted.value)); };
  auto const text = fmt::format("{} is {}", wanted.name, setting->now);
  if (is_right(setting->now)) return {.of = {}, .is = status::ok, .text = text, .command = {}};
  auto const reset =
      fmt::format("{} -d {} -y reset", program == "mlxconfig" ? "mlxfwreset" : "mstfwreset", nic.address);
  if (is_right(setting->next)) {
    return {.of = {},
            .is = status::warn,
            .text = fmt::format("{}, {} after a reset", text, setting->next),
            .command = reset};
  }
  return {
      .of = {},
      .is = status::warn,
      .text = text,
      .command = fmt::format("{} -d {} -y set {}={} && {}", program, nic.address, wanted.name, wanted.value, reset)};
}

[[nodiscard]] std::vector<reading> check_firmware(machine const& m, wanted_setting const& wanted) {
  auto nics = find_nics(m.files);
  std::erase_if(
      nics, [](auto const& nic) { return nic.vendor != mellanox || nic.of == pci_device::function::virtual_function; });
  if (nics.empty()) return just(status::skip, "no NIC of NVIDIA (Mellanox)");
  return read_each(nics, [&](auto const& nic) { return check_setting(m, nic, wanted); });
}

// ethtool -a prints "RX:" and "TX:", each with "on" or "off" behind it.
[[nodiscard]] reading pause_of(machine const& m, std::string const& interface) {
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
  return {.of = {},
          .is = is_on ? status::warn : status::ok,
          .text = text,
          .command = is_on ? fmt::format("ethtool -A {} rx off tx off", interface) : ""};
}

}  // namespace

std::vector<reading> check_nic_driver(machine const& m) {
  auto const nics = find_nics(m.files);
  if (nics.empty()) return just(status::skip, "no NIC on PCI");
  return read_each(nics, [](auto const& nic) { return driver_of(nic); });
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
  return read_each(nics, [&](auto const& nic) { return pause_of(m, nic.interfaces.front()); });
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
