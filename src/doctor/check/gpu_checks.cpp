// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/error.h"
#include "doctor/check/checks.h"
#include "doctor/check/each.h"
#include "doctor/machine/pci_devices.h"
#include "doctor/machine/text.h"

namespace packetwarp::doctor {
namespace {

constexpr std::string_view driver_file = "/proc/driver/nvidia/version";

// A container may have a GPU whose PCI device it does not see.
[[nodiscard]] bool has_gpu(machine const& m) {
  return m.files.has(driver_file) || (m.cuda.problem.empty() && !m.cuda.driver.empty()) || !find_gpus(m.files).empty();
}

[[nodiscard]] std::vector<reading> no_gpu() { return just(status::skip, "no NVIDIA GPU"); }

enum class kernel_module : std::uint8_t { open, proprietary };
struct driver_facts {
  std::string version;
  kernel_module is{};
};

// "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build ...", on the first line.
[[nodiscard]] driver_facts read_driver(machine const& m) {
  auto const line = m.files.line(driver_file);
  auto const is = line.find("Open Kernel Module") != line.npos ? kernel_module::open : kernel_module::proprietary;
  for (auto const word : words_of(line)) {
    bool const is_version = word.find('.') != word.npos && word.find_first_not_of("0123456789.") == word.npos;
    if (is_version) return {.version = std::string{word}, .is = is};
  }
  throw failure(fmt::format("{} names no version", driver_file));
}

// The version of Linux: "6.1.0-18-amd64" is 6 and 1.
[[nodiscard]] bool kernel_is_at_least(machine const& m, std::uint64_t major, std::uint64_t minor) {
  auto const release = m.files.line("/proc/sys/kernel/osrelease");
  auto const parts = split(release, ".-+");
  auto const first = parts.empty() ? std::nullopt : number_of(parts[0]);
  auto const second = parts.size() < 2 ? std::nullopt : number_of(parts[1]);
  if (!first || !second) throw failure("/proc/sys/kernel/osrelease names no version");
  return *first > major || (*first == major && *second >= minor);
}

[[nodiscard]] reading nearest_gpu(machine const& m, pci_device const& nic, std::vector<pci_device> const& gpus) {
  std::optional<std::pair<distance, std::string>> nearest;
  for (auto const& gpu : gpus) {
    std::pair const here{distance_between(m.files, nic, gpu), gpu.address};
    if (!nearest || here < *nearest) nearest = here;
  }
  auto const [how_far, address] = *nearest;
  bool const is_near = how_far <= distance::pxb;
  return found(is_near ? status::ok : status::warn,
               fmt::format("{} to the nearest GPU, {}", to_string(how_far), address),
               is_near ? "" : "nvidia-smi topo -m");
}

}  // namespace

std::vector<reading> check_gpu_driver(machine const& m) {
  if (!has_gpu(m)) return no_gpu();
  if (m.files.has(driver_file)) {
    auto const driver = read_driver(m);
    return just(status::ok, fmt::format("{}, {} kernel module", driver.version,
                                        driver.is == kernel_module::open ? "open" : "proprietary"));
  }
  if (!m.programs.is_installed("nvidia-smi")) {
    return just(status::fail, "not loaded: /proc/driver/nvidia is not there, and nvidia-smi is not installed",
                "apt-get install nvidia-open  # 580 or later, from NVIDIA's repository: CUDA 13 needs it");
  }
  auto const said = m.programs.output_of({"nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"});
  auto const lines = lines_of(said);
  if (lines.empty()) throw failure("nvidia-smi names no GPU");
  return just(status::ok, fmt::format("{}, as nvidia-smi says", trimmed(lines.front())));
}

std::vector<reading> check_cuda(machine const& m) {
  if (!has_gpu(m)) return no_gpu();
  if (!m.cuda.problem.empty()) return just(status::fail, m.cuda.problem, "nvidia-smi");
  if (m.cuda.driver.empty()) return just(status::skip, "this binary has no GPU code");
  return just(status::ok,
              fmt::format("the driver speaks CUDA {}, this binary is of {}", m.cuda.driver, m.cuda.runtime));
}

std::vector<reading> check_gpudirect(machine const& m) {
  if (!has_gpu(m)) return no_gpu();
  if (m.files.has("/sys/module/nvidia_peermem")) return just(status::ok, "nvidia-peermem is loaded");
  // The requirements of dma-buf, from NVIDIA's GPUDirect RDMA guide: Linux 5.12 and the open kernel modules. mlx5 of
  // DPDK 22.11 does not use it.
  bool const is_open = read_driver(m).is == kernel_module::open;
  bool const has_dma_buf = is_open && kernel_is_at_least(m, 5, 12);
  return just(status::warn,
              fmt::format("nvidia-peermem is not loaded, and {}",
                          has_dma_buf ? "dma-buf, which is there, is not for DPDK's mlx5"
                          : is_open   ? "for dma-buf Linux is older than 5.12"
                                      : "for dma-buf the kernel module is the proprietary one"),
              "modprobe nvidia-peermem  # of an RDMA stack with peer memory, as DOCA-OFED's");
}

std::vector<reading> check_gdrcopy(machine const& m) {
  if (!has_gpu(m)) return no_gpu();
  if (m.files.has("/dev/gdrdrv")) return just(status::ok, "/dev/gdrdrv is there");
  if (m.files.has("/sys/module/gdrdrv")) {
    return just(status::warn, "gdrdrv is loaded, but /dev/gdrdrv is not here",
                "mknod /dev/gdrdrv c $(awk '$2 == \"gdrdrv\" {print $1}' /proc/devices) 0");
  }
  return just(status::warn, "gdrdrv is not loaded", "modprobe gdrdrv");
}

std::vector<reading> check_gpu_distance(machine const& m) {
  auto const gpus = find_gpus(m.files);
  if (gpus.empty()) return just(status::skip, "no NVIDIA GPU on PCI");
  auto const nics = find_nics(m.files);
  if (nics.empty()) return just(status::skip, "no NIC on PCI");
  return read_each(nics, [&](auto const& nic) { return nearest_gpu(m, nic, gpus); });
}

}  // namespace packetwarp::doctor
