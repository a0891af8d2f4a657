// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>

#include "doctor/check/checks.h"
#include "doctor/check/each.h"
#include "doctor/machine/cpu_list.h"
#include "doctor/machine/pci_devices.h"
#include "doctor/machine/pci_express.h"
#include "doctor/machine/text.h"

namespace packetwarp::doctor {
namespace {

[[nodiscard]] std::vector<pci_device> nics_and_gpus(machine_reader const& files) {
  auto devices = find_nics(files);
  auto const gpus = find_gpus(files);
  devices.insert(devices.end(), gpus.begin(), gpus.end());
  return devices;
}

[[nodiscard]] std::vector<reading> no_device(std::string_view which) {
  return just(status::skip, fmt::format("no {} on PCI", which));
}

[[nodiscard]] reading without_iommu(machine const& m, pci_device const& device) {
  if (device.driver != "vfio-pci") return found(status::ok, "off");
  if (vfio_goes_without_iommu(m.files)) {
    return found(status::warn, "off, and vfio goes without: the device can write anywhere",
                 boot_parameters{"intel_iommu=on amd_iommu=on iommu=pt"});
  }
  return found(status::fail, "off, which vfio-pci cannot be without",
               boot_parameters{"intel_iommu=on amd_iommu=on iommu=pt"});
}

[[nodiscard]] reading iommu_of(machine const& m, pci_device const& device) {
  auto const group = device.folder + "/iommu_group";
  if (!m.files.has(group)) return without_iommu(m, device);
  auto const type = m.files.line(group + "/type");
  if (type == "identity") return found(status::ok, "passes addresses on (identity)");
  // vfio maps the application's memory once, in pages of the memory's own size.
  if (device.driver == "vfio-pci") return found(status::ok, fmt::format("maps for vfio-pci ({})", type));
  if (type == "DMA" || type == "DMA-FQ") {
    return found(status::warn, fmt::format("translates ({})", type), boot_parameters{"iommu=pt"});
  }
  return found(status::unknown, fmt::format("{}/type says something that no kernel known to packetwarp does", group));
}

// Parses "16.0 GT/s PCIe".
[[nodiscard]] std::optional<double> gigatransfers(std::string_view text) {
  double value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::string_view{end, text.data() + text.size()}.starts_with(" GT/s")) return {};
  return value;
}

[[nodiscard]] reading link_of(machine const& m, pci_device const& device) {
  if (device.of == pci_device::function::virtual_function) return found(status::skip, "a virtual function has none");
  if (!m.files.has(device.folder + "/current_link_speed")) return found(status::skip, "not PCI Express");
  auto const said = m.files.line(device.folder + "/current_link_speed");
  auto const speed = gigatransfers(said);
  auto const most_speed = gigatransfers(m.files.line(device.folder + "/max_link_speed"));
  auto const width = m.files.number(device.folder + "/current_link_width");
  auto const most_width = m.files.number(device.folder + "/max_link_width");
  if (!speed || !most_speed || width == 0) {
    return found(status::unknown, fmt::format("{}/current_link_speed does not say it", device.folder));
  }
  auto text = fmt::format("{:.1f} GT/s x{} of {:.1f} GT/s x{}", *speed, width, *most_speed, most_width);
  bool const is_idle_gpu = device.is == pci_device::kind::gpu && *speed < *most_speed;
  if (is_idle_gpu) text += "; an idle GPU slows its link down";
  bool const is_full = width >= most_width && (*speed >= *most_speed || is_idle_gpu);
  if (is_full) return found(status::ok, text);
  return found(status::warn, text, fmt::format("lspci -vv -s {} | grep -E 'LnkCap|LnkSta'", device.address));
}

[[nodiscard]] reading max_read_request_of(machine const& m, pci_device const& device) {
  if (device.of == pci_device::function::virtual_function) {
    return found(status::skip, "a virtual function takes its physical function's");
  }
  auto const bytes = m.files.text(device.folder + "/config");
  auto const control = find_device_control({reinterpret_cast<std::uint8_t const*>(bytes.data()), bytes.size()});
  if (control.how == device_control::search::no_capability) return found(status::skip, "not PCI Express");
  auto const config = device.folder + "/config";
  if (control.how == device_control::search::cut_short) {
    return found(status::unknown, fmt::format("{} gives {} bytes; root reads all of it", config, bytes.size()));
  }
  auto const request = control.max_read_request(), payload = control.max_payload();
  if (!request || !payload) {
    return found(status::unknown,
                 fmt::format("{}: Device Control is 0x{:04x}, a reserved value", config, control.value));
  }
  auto const text = fmt::format("MaxReadReq {} bytes, MaxPayload {} bytes", *request, *payload);
  if (*request >= 4096) return found(status::ok, text);
  return found(
      status::warn, text,
      fmt::format("setpci -s {} {:x}.w={:04x}", device.address, control.offset, control.with_largest_read_request()));
}

[[nodiscard]] reading node_of(machine const& m, pci_device const& device) {
  auto const node = m.files.line(device.folder + "/numa_node");
  if (!m.files.has("/sys/devices/system/node/node1")) return found(status::ok, "the machine has one NUMA node");
  if (!number_of(node)) {
    return found(status::unknown, fmt::format("{}/numa_node says {}: the firmware does not tell", device.folder,
                                              node == "-1" ? "-1" : "no number"));
  }
  auto const cpus = read_cpu_list(m.files, fmt::format("/sys/devices/system/node/node{}/cpulist", node));
  auto const isolated = isolated_cpus(m.files);
  auto const text = fmt::format("node {}, CPUs {}", node, to_text(cpus));
  bool const has_workers = isolated.empty() || without(isolated, cpus).size() < isolated.size();
  if (has_workers) return found(status::ok, text);
  auto const here = to_text(without(cpus, {0}));
  return found(status::warn, fmt::format("{}, none of them isolated", text),
               boot_parameters{fmt::format("isolcpus={0} nohz_full={0} rcu_nocbs={0}", here)});
}

}  // namespace

std::vector<reading> check_iommu(machine const& m) {
  auto const devices = nics_and_gpus(m.files);
  if (devices.empty()) return no_device("NIC or GPU");
  return read_each(devices, [&](auto const& device) { return iommu_of(m, device); });
}

std::vector<reading> check_pcie_link(machine const& m) {
  auto const devices = nics_and_gpus(m.files);
  if (devices.empty()) return no_device("NIC or GPU");
  return read_each(devices, [&](auto const& device) { return link_of(m, device); });
}

std::vector<reading> check_max_read_request(machine const& m) {
  auto const nics = find_nics(m.files);
  if (nics.empty()) return no_device("NIC");
  return read_each(nics, [&](auto const& nic) { return max_read_request_of(m, nic); });
}

std::vector<reading> check_nic_node(machine const& m) {
  auto const nics = find_nics(m.files);
  if (nics.empty()) return no_device("NIC");
  return read_each(nics, [&](auto const& nic) { return node_of(m, nic); });
}

}  // namespace packetwarp::doctor
