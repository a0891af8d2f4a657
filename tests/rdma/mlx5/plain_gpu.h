// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <map>
#include <string>
#include <vector>

#include "rdma/bandwidth/cpu_poster.h"
#include "rdma/mlx5/gpu_access.h"
#include "rdma/mlx5/software_hca.h"

namespace packetwarp::rdma::test {

// The calls that a GPU's driver allows.
struct gpu_manner {
  bool maps_registers{true};
  bool exports_memory{true};
  bool shows_writes_to_kernels{true};
};

// A GPU of plain memory, whose kernels are functions on the calling thread. It reaches registers at other addresses
// than the CPU does.
class plain_gpu : public gpu_access {
 public:
  // The name of the files of descriptors that payload memory has.
  static constexpr auto exported = "payload-of-a-gpu";
  // Pages that are mapped now, and the most at a time.
  struct ledger {
    int mapped{};
    int most_mapped{};
  };
  plain_gpu(software_hca& beside, gpu_manner manner, ledger& into) : hca_{&beside}, manner_{manner}, ledger_{&into} {}

  memory_kind queue_kind() const override { return memory_kind::host; }
  memory_kind cursor_kind() const override { return memory_kind::host; }
  memory_kind payload_kind() const override { return memory_kind::host; }
  int index() const override { return 0; }

  std::byte* map_registers(std::byte* page, std::size_t bytes, std::string& problem) override {
    if (!manner_.maps_registers) {
      problem = "cudaHostRegister of the doorbell's page failed: not permitted";
      return nullptr;
    }
    auto* const mapped = hca_->map_again(page);
    EXPECT_NE(mapped, nullptr) << "no page of registers, or mapped twice";
    EXPECT_TRUE(again_.emplace(page, std::pair{mapped, bytes}).second);
    ledger_->most_mapped = std::max(ledger_->most_mapped, ++ledger_->mapped);
    return mapped;
  }
  void unmap_registers(std::byte* page) override {
    auto const [at, bytes] = again_.at(page);
    ::munmap(at, bytes);
    again_.erase(page);
    --ledger_->mapped;
  }
  int export_memory(std::byte* at, std::size_t bytes, std::string& problem) override {
    hca_->note_gpu_memory(at, bytes);
    if (!manner_.exports_memory) {
      problem = "the NVIDIA driver has no cuMemGetHandleForAddressRange";
      return -1;
    }
    return ::memfd_create(exported, 0);
  }
  void see_inbound_writes() override {}
  bool kernels_see_inbound_writes() const override { return manner_.shows_writes_to_kernels; }

  std::vector<post_times> post(std::span<posted_queue const> queues, post_loop const& loop) override {
    return post_by_cpu(queues, loop);
  }
  ping_times ping(ping_loop const& loop) override;

 private:
  software_hca* hca_;
  gpu_manner manner_;
  ledger* ledger_;
  std::map<std::byte*, std::pair<std::byte*, std::size_t>> again_;
};

// The kernel of rdma-lat, as a function of the CPU.
inline ping_times plain_gpu::ping(ping_loop const& loop) {
  queue_pair_ref const queue{loop.queue.parts};
  ping_times made;
  auto const heard = [&](std::uint32_t n) {
    auto& byte = *reinterpret_cast<std::uint8_t*>(loop.told);
    while (detail::load_before(byte, acquire_from_system) != static_cast<std::uint8_t>(n)) detail::rest();
  };
  auto posted = detail::now_ns();
  for (std::uint32_t n = 1; n <= loop.iterations && made.status == work_status::done; ++n) {
    if (auto const awaited = loop.side == ping_side::answers ? n : n - 1; awaited != 0) heard(awaited);
    if (n > 1) made.between.push_back(static_cast<double>(detail::now_ns() - posted));
    posted = detail::now_ns();
    *reinterpret_cast<std::uint8_t*>(loop.queue.local.address + loop.bytes - 1) = static_cast<std::uint8_t>(n);
    auto const slots = queue.reserve(single_thread{}, 1);
    queue.post_write(slots, 0, loop.queue.local, loop.queue.remote, loop.bytes);
    queue.commit(single_thread{}, slots);
    made.status = queue.flush(single_thread{}, slots, loop.limit);
  }
  if (loop.side == ping_side::writes_first) heard(loop.iterations);
  return made;
}

}  // namespace packetwarp::rdma::test
