// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_lcore.h>
#include <rte_mbuf.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "memory/packet_pool.h"
#include "ping_case.h"
#include "port/port.h"
#include "rdma/latency/gpu_pinger.h"
#include "rdma/queue_pair.h"
#include "rdma/region_table.h"
#include "rdma/roce/roce_engine.h"

namespace packetwarp::rdma::roce {

// Two ends whose kernels post writes into queues in pinned host memory and await the other one's there. A CPU
// thread makes and reads the frames of both, by a port that gives back what it sends.
class pinging_engine {
 public:
  explicit pinging_engine(std::uint32_t bytes)
      : pool_{{.name = "frames", .packets = pool_packets, .data_room = frame_mtu + 256, .cache = 256}},
        port_{describe_port(port_id{0}), port_config{}, rx_pools{pool_}},
        sources_{memory_kind::pinned, 0, pair_ends * std::size_t{bytes}},
        targets_{memory_kind::pinned, 0, pair_ends * std::size_t{bytes}},
        bytes_{bytes} {
    local_ = {address_of(sources_), regions_.add(sources_.data(), sources_.size(), access::local_read)};
    remote_ = {address_of(targets_), regions_.add(targets_.data(), targets_.size(), access::remote_write)};
    engine_.emplace(regions_.ref());
    for (std::uint32_t n = 0; n < pair_ends; ++n) {
      queues_.push_back(std::make_unique<queue_pair>(queue_pair_settings{
          .size = 16, .number = first_number + n, .queue = memory_kind::pinned, .cursors = memory_kind::device}));
      pingers_.push_back(std::make_unique<gpu_pinger>(0));
      engine_->add({.local_number = first_number + n,
                    .remote_number = first_number + (1 - n),
                    .path = path_of(n),
                    .how = how_reliable},
                   {.queue = &queues_.back()->parts()});
    }
    thread_ = std::jthread{[this](std::stop_token const& asked) { run(asked); }};
  }

  // The times of round trips, in ns; none if a write failed.
  [[nodiscard]] std::vector<double> ping(std::uint32_t iterations) {
    return ping_both([&](std::uint32_t end) {
      return pingers_[end]->ping(loop_of(end, queues_[end]->parts(), local_, remote_, bytes_, iterations));
    });
  }

 private:
  void run(std::stop_token const& asked) {
    bool const is_known = rte_thread_register() == 0;
    std::array<rte_mbuf*, burst> packets{};
    frame_plan plan;
    while (!asked.stop_requested()) {
      auto const now = rdma::detail::now_ns();
      auto const got = port_.rx(queue_id{0}).receive(packets);
      for (auto* const packet : std::span{packets}.first(got))
        engine_->take({rte_pktmbuf_mtod(packet, std::byte const*), rte_pktmbuf_data_len(packet)}, now);
      rte_pktmbuf_free_bulk(packets.data(), static_cast<unsigned>(got));
      engine_->serve(now);
      while (engine_->next_frame(now, plan)) {
        auto* packet = rte_pktmbuf_alloc(&pool_.get());
        auto* const at = rte_pktmbuf_append(packet, static_cast<std::uint16_t>(plan.length()));
        write_frame(reinterpret_cast<std::byte*>(at), plan.path, plan.fields, plan.payload, plan.bytes);
        if (port_.tx(queue_id{0}).send({&packet, 1}) == 0) rte_pktmbuf_free(packet);
      }
    }
    if (is_known) rte_thread_unregister();
  }

  packet_pool pool_;
  port port_;
  placed_memory sources_;
  placed_memory targets_;
  std::uint32_t bytes_;
  region_table regions_;
  memory_place local_{};
  memory_place remote_{};
  std::vector<std::unique_ptr<queue_pair>> queues_;
  std::vector<std::unique_ptr<gpu_pinger>> pingers_;
  std::optional<roce_engine> engine_;
  std::jthread thread_;
};

}  // namespace packetwarp::rdma::roce
