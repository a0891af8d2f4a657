// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda_runtime_version.h"
#include "gpu/driver.h"
#include "gpu/gpu.h"
#include "gpu/packet_shuttle.h"
#include "gpu/peer_access.h"

namespace packetwarp {
namespace {

[[noreturn]] void refuse() {
  throw usage_error(
      "this build has no GPU code (PACKETWARP_CUDA is off): build with it, or use the CPU: -w cpu or -w none (l2fwd), "
      "data_plane.executor: cpu (run)");
}

}  // namespace

std::string cuda_runtime_version() { return {}; }
std::vector<gpu_facts> find_gpus() { return {}; }
gpu_facts open_gpu(int) { refuse(); }

pinned_memory::pinned_memory(int, std::size_t) { refuse(); }
pinned_memory::pinned_memory(pinned_memory&&) noexcept = default;
pinned_memory& pinned_memory::operator=(pinned_memory&&) noexcept = default;
pinned_memory::~pinned_memory() = default;

device_memory::device_memory(int, std::size_t) { refuse(); }
device_memory::device_memory(device_memory&&) noexcept = default;
device_memory& device_memory::operator=(device_memory&&) noexcept = default;
device_memory::~device_memory() = default;
void device_memory::write(std::size_t, std::span<std::byte const>) const { refuse(); }
void device_memory::read(std::size_t, std::span<std::byte>) const { refuse(); }

std::unique_ptr<gpu_driver> make_cuda_driver(int) { refuse(); }

bool flush_inbound_writes(int) { return false; }

memory_registration::memory_registration(int, std::byte*, std::size_t) { refuse(); }
memory_registration::memory_registration(memory_registration&&) noexcept = default;
memory_registration& memory_registration::operator=(memory_registration&&) noexcept = default;
memory_registration::~memory_registration() = default;

std::vector<memory_registration> register_packet_pools(int) { refuse(); }

peer_access::peer_access(int, int) { refuse(); }
peer_access::peer_access(peer_access&&) noexcept = default;
peer_access& peer_access::operator=(peer_access&&) noexcept = default;
peer_access::~peer_access() = default;

packet_shuttle::packet_shuttle(int, std::uint32_t, std::uint32_t) : gpu_{}, packets_{}, longest_{}, stride_{} {
  refuse();
}
packet_shuttle::~packet_shuttle() = default;
void packet_shuttle::note(std::uint32_t, std::uint32_t, std::byte*, std::uint32_t) {}
bool packet_shuttle::to_gpu() { return false; }
bool packet_shuttle::from_gpu() { return false; }
void packet_shuttle::abandon() {}

}  // namespace packetwarp
