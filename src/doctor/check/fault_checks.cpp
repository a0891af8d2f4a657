// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "doctor/check/checks.h"
#include "doctor/check/each.h"
#include "doctor/machine/pci_devices.h"
#include "doctor/machine/text.h"

namespace packetwarp::doctor {
namespace {

// The kernel's words for a refused access, by Intel's IOMMU and by AMD's:
//   DMAR: [DMA Read NO_PASID] Request device [03:00.0] fault addr 0x0 [fault reason 0x06] PTE Read access is not set
//   vfio-pci 0000:03:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x0019 address=0x0 flags=0x0020]
//   AMD-Vi: Event logged [IO_PAGE_FAULT device=03:00.0 domain=0x000e address=0x0 flags=0x0020]
constexpr std::array<std::string_view, 2> intel_and_amd{"DMAR: [DMA ", "AMD-Vi: Event logged [IO_PAGE_FAULT "};

[[nodiscard]] bool is_of(std::string_view line, std::string_view address) {
  // Most of these lines leave out the PCI domain, which is 0000 nearly everywhere.
  auto const within = address.substr(std::min(address.find(':') + 1, address.size()));
  std::array const forms{fmt::format("[{}]", within), fmt::format("device={} ", within), fmt::format(" {}: ", address)};
  return std::any_of(forms.begin(), forms.end(),
                     [line](auto const& form) { return line.find(form) != std::string_view::npos; });
}

// The line from these words on; empty if it reports no refused access.
[[nodiscard]] std::string_view fault_in(std::string_view line) {
  for (auto const words : intel_and_amd) {
    if (auto const at = line.find(words); at != std::string_view::npos) return line.substr(at);
  }
  return {};
}

[[nodiscard]] reading faults_of(machine const& m, std::vector<std::string_view> const& lines, pci_device const& nic) {
  if (!m.files.has(nic.folder + "/iommu_group")) return found(status::skip, "the IOMMU is off");
  std::size_t count = 0;
  std::string_view last;
  for (auto const line : lines) {
    auto const fault = fault_in(line);
    if (fault.empty() || !is_of(line, nic.address)) continue;
    ++count;
    last = fault;
  }
  if (count == 0) return found(status::ok, "none in the kernel's log");
  return found(status::warn, fmt::format("{} in the kernel's log; the last: {}", count, trimmed(last)));
}

}  // namespace

std::vector<reading> check_iommu_faults(machine const& m) {
  auto const nics = find_nics(m.files);
  if (nics.empty()) return just(status::skip, "no NIC on PCI");
  if (!m.programs.is_installed("dmesg")) return just(status::unknown, "dmesg (util-linux) is not installed");
  auto const log = m.programs.output_of({"dmesg"});
  auto const lines = lines_of(log);
  return read_each(nics, [&](auto const& nic) { return faults_of(m, lines, nic); });
}

}  // namespace packetwarp::doctor
