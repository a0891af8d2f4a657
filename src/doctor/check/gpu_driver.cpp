// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "doctor/check/gpu_driver.h"

#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "doctor/check/each.h"
#include "doctor/machine/pci_devices.h"
#include "doctor/machine/text.h"

namespace packetwarp::doctor {
namespace {

constexpr std::string_view driver_file = "/proc/driver/nvidia/version";

// The version of Linux: "6.1.0-18-amd64" is 6 and 1.
[[nodiscard]] bool kernel_is_at_least(machine const& m, std::uint64_t major, std::uint64_t minor) {
  auto const release = m.files.line("/proc/sys/kernel/osrelease");
  auto const parts = split(release, ".-+");
  auto const first = parts.empty() ? std::nullopt : number_of(parts[0]);
  auto const second = parts.size() < 2 ? std::nullopt : number_of(parts[1]);
  if (!first || !second) throw failure("/proc/sys/kernel/osrelease names no version");
  return *first > major || (*first == major && *second >= minor);
}

}  // namespace

bool has_gpu(machine const& m) {
  return m.files.has(driver_file) || (m.cuda.problem.empty() && !m.cuda.driver.empty()) || !find_gpus(m.files).empty();
}

std::vector<reading> no_gpu() { return just(status::skip, "no NVIDIA GPU"); }

bool has_driver_file(machine const& m) { return m.files.has(driver_file); }

// "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build ...", on the first line.
driver_facts read_driver(machine const& m) {
  auto const line = m.files.line(driver_file);
  auto const is = line.find("Open Kernel Module") != line.npos ? kernel_module::open : kernel_module::proprietary;
  for (auto const word : words_of(line)) {
    bool const is_version = word.find('.') != word.npos && word.find_first_not_of("0123456789.") == word.npos;
    if (is_version) return {.version = std::string{word}, .is = is};
  }
  throw failure(fmt::format("{} names no version", driver_file));
}

bool has_peer_memory(machine const& m) { return m.files.has("/sys/module/nvidia_peermem"); }

// From NVIDIA's GPUDirect RDMA guide: Linux 5.12 and the open kernel modules. mlx5 of DPDK 22.11 does not use it.
dma_buf read_dma_buf(machine const& m) {
  if (read_driver(m).is != kernel_module::open) return dma_buf::proprietary_module;
  return kernel_is_at_least(m, 5, 12) ? dma_buf::possible : dma_buf::old_kernel;
}

}  // namespace packetwarp::doctor
