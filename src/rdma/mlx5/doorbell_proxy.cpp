// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/mlx5/doorbell_proxy.h"

#include "rdma/queue_pair_ref.h"

namespace packetwarp::rdma {
namespace {

constexpr std::uint32_t rounds_before_rest = 256;  // before the CPU is left to other threads

}  // namespace

doorbell_proxy::doorbell_proxy(std::span<line const> lines) {
  for (auto const& one : lines) lines_.push_back({one, 0});
  thread_ = std::jthread{[this](std::stop_token const& asked) { run(asked); }};
}

doorbell_proxy::~doorbell_proxy() { stop(); }

void doorbell_proxy::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

bool doorbell_proxy::look() {
  bool any = false;
  for (auto& [of, last] : lines_) {
    auto const asked = detail::load_before(*of.word, acquire_from_system);
    if (asked == last) continue;
    last = asked;
    write_combining_fence();
    detail::store_after(*of.doorbell, asked, release_to_system);
    write_combining_fence();
    rung_.fetch_add(1, std::memory_order_relaxed);
    any = true;
  }
  return any;
}

void doorbell_proxy::run(std::stop_token const& asked) {
  for (std::uint32_t idle = 0;;) {
    bool const last = asked.stop_requested();
    bool const any = look();
    if (last && !any) return;
    idle = any ? 0 : idle + 1;
    if (idle < rounds_before_rest) continue;
    idle = 0;
    detail::rest();
  }
}

}  // namespace packetwarp::rdma
