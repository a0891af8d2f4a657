// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/error.h"
#include "doctor/check/checks.h"
#include "doctor/check/each.h"
#include "doctor/check/gpu_driver.h"
#include "doctor/machine/pci_devices.h"
#include "doctor/machine/text.h"

namespace packetwarp::doctor {
namespace {

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
  if (has_driver_file(m)) {
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
  if (has_peer_memory(m)) return just(status::ok, "nvidia-peermem is loaded");
  auto const other = read_dma_buf(m);
  return just(status::warn,
              fmt::format("nvidia-peermem is not loaded, and {}",
                          other == dma_buf::possible     ? "dma-buf, which is there, is not for DPDK's mlx5"
                          : other == dma_buf::old_kernel ? "for dma-buf Linux is older than 5.12"
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
