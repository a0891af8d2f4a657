// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "doctor/check/checks.h"
#include "doctor/check/each.h"
#include "doctor/check/gpu_driver.h"
#include "doctor/machine/text.h"

namespace packetwarp::doctor {
namespace {

constexpr std::string_view devices = "/sys/class/infiniband", driver_options = "/proc/driver/nvidia/params";

struct verbs_device {
  std::string address;  // its name: "mlx5_0"
};

[[nodiscard]] std::vector<verbs_device> find_verbs_devices(machine const& m) {
  std::vector<verbs_device> found;
  for (auto& name : m.files.names(devices)) found.push_back({std::move(name)});
  return found;
}

// The driver of the PCI device; software devices have none.
[[nodiscard]] bool is_mlx5(machine const& m, verbs_device const& device) {
  return m.files.target(fmt::format("{}/{}/device/driver", devices, device.address)) == "mlx5_core";
}

[[nodiscard]] bool has_mlx5(machine const& m) {
  return std::ranges::any_of(find_verbs_devices(m), [&](auto const& one) { return is_mlx5(m, one); });
}

// "4: ACTIVE" is ACTIVE.
[[nodiscard]] std::string read_state(machine const& m, verbs_device const& device) {
  auto const file = fmt::format("{}/{}/ports/1/state", devices, device.address);
  auto const line = m.files.line(file);
  auto const words = split(line, ": ");
  auto const is_state = [](std::string_view word) {
    return word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == word.npos;
  };
  if (words.size() != 2 || !is_state(words[1])) throw failure(fmt::format("{} names no state", file));
  return std::string{words[1]};
}

[[nodiscard]] reading read_verbs_device(machine const& m, verbs_device const& device) {
  auto const serves = is_mlx5(m, device) ? "mlx5, for --transport mlx5 and verbs" : "not mlx5, for --transport verbs";
  auto const state = read_state(m, device);
  if (state == "ACTIVE") return found(status::ok, fmt::format("{}; port 1 is active", serves));
  return found(status::warn, fmt::format("{}; port 1 is in state {}", serves, state),
               "rdma link  # names its interface");
}

// RegistryDwords: "PeerMappingOverride=1;Other=2"
[[nodiscard]] bool maps_registers(machine const& m) {
  auto const words = m.files.field(driver_options, "RegistryDwords").value_or("");
  auto const all = split(words, "\"; ");
  return std::ranges::find(all, "PeerMappingOverride=1") != all.end();
}

[[nodiscard]] std::string payload_of_gpu(machine const& m) {
  if (read_dma_buf(m) == dma_buf::possible) return "by dma-buf";
  return has_peer_memory(m) ? "by nvidia-peermem" : "";
}

}  // namespace

std::vector<reading> check_rdma_device(machine const& m) {
  auto const all = find_verbs_devices(m);
  if (all.empty()) return just(status::skip, "no verbs device: rdma-bw has --transport roce, which needs none");
  return read_each(all, [&](auto const& device) { return read_verbs_device(m, device); });
}

std::vector<reading> check_rdma_doorbell(machine const& m) {
  if (!has_gpu(m)) return no_gpu();
  if (maps_registers(m)) return just(status::ok, "the driver lets a GPU ring (PeerMappingOverride=1)");
  return just(status::warn, "the driver does not let a GPU ring (PeerMappingOverride is not 1): a CPU thread does",
              "echo 'options nvidia NVreg_RegistryDwords=\"PeerMappingOverride=1;\"' > "
              "/etc/modprobe.d/nvidia-peer-mapping.conf  # from the next load of nvidia on");
}

std::vector<reading> check_rdma_payload(machine const& m) {
  if (!has_gpu(m)) return no_gpu();
  if (auto const way = payload_of_gpu(m); !way.empty())
    return just(status::ok, fmt::format("a NIC reaches it {}", way));
  return just(status::warn,
              fmt::format("no NIC reaches it: nvidia-peermem is not loaded, and for dma-buf {}",
                          read_dma_buf(m) == dma_buf::old_kernel ? "Linux is older than 5.12"
                                                                 : "the kernel module is the proprietary one"),
              "modprobe nvidia-peermem  # of an RDMA stack with peer memory, as DOCA-OFED's");
}

std::vector<reading> check_rdma_mode(machine const& m) {
  if (!has_mlx5(m)) return just(status::skip, "no mlx5 device");
  if (!has_gpu(m)) return just(status::ok, "a CPU posts, payload is in host memory");
  auto const way = payload_of_gpu(m);
  return just(status::ok, fmt::format("a CPU or a GPU posts, {} rings for the GPU; payload is in host memory{}",
                                      maps_registers(m) ? "the GPU itself" : "a CPU thread",
                                      way.empty() ? "" : fmt::format(", or in GPU memory {}", way)));
}

}  // namespace packetwarp::doctor
