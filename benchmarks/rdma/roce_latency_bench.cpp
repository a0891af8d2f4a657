// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Round trips of RoCEv2 writes from one persistent kernel to another, in this process: two kernels of a thread each
// write to each other alternately, as ib_write_lat does. Prints percentiles of whole round trips. Needs a GPU and
// hugepages. Arguments: bytes of a write (8), round trips (20000), repeats (5), and what makes and reads the frames:
//   engine      a CPU thread, for both ends, and a net_ring port gives back what it sends
//   endpoints   a CPU thread at each end, as packetwarp rdma-lat has it, with a wire of rings between them
//   whole       requesters and responders that are kernels; a CPU thread moves their frames through a net_ring port
//   two-pieces  the same with a frame's second piece in GPU memory
#include <rte_lcore.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "gpu/gpu.h"
#include "memory/eal_session.h"
#include "memory/packet_pool.h"
#include "ping_case.h"
#include "pinging_endpoints.h"
#include "pinging_engine.h"
#include "port/port.h"
#include "rdma/latency/gpu_pinger.h"
#include "rdma/network/gpu_frames.h"
#include "rdma/network/gpu_requests.h"
#include "rdma/queue_pair.h"
#include "rdma/region_table.h"
#include "rdma/roce/gpu/gpu_requesters.h"
#include "rdma/roce/gpu/gpu_responders.h"
#include "rdma/roce/roce_engine.h"

namespace packetwarp::rdma::roce {
namespace {

// Two ends, each of which has a queue, a source and a target.
class two_kernels {
 public:
  two_kernels(frame_pieces pieces, std::uint32_t bytes)
      : firsts_{{.name = "firsts", .packets = pool_packets, .data_room = frame_mtu + 256, .cache = 256}},
        rests_{{.name = "rests", .packets = pool_packets, .data_room = frame_mtu + 256, .cache = 256, .gpu = 0}},
        port_{describe_port(port_id{0}), port_config{}, rx_pools{firsts_}},
        pinned_{register_packet_pools(0)},
        pools_{&firsts_.get(), pieces == frame_pieces::two ? &rests_.get() : nullptr},
        sources_{memory_kind::device, 0, pair_ends * std::size_t{bytes}},
        targets_{memory_kind::device, 0, pair_ends * std::size_t{bytes}},
        bytes_{bytes} {
    local_ = {address_of(sources_), regions_.add(sources_.data(), sources_.size(), access::local_read)};
    remote_ = {address_of(targets_), regions_.add(targets_.data(), targets_.size(), access::remote_write)};
    engine_.emplace(regions_.ref());
    std::vector<queue_on_gpu> queues;
    std::vector<connection_settings> connections;
    for (std::uint32_t n = 0; n < pair_ends; ++n) {
      queues_.push_back(std::make_unique<queue_pair>(queue_pair_settings{
          .size = 16, .number = first_number + n, .queue = memory_kind::device, .cursors = memory_kind::device}));
      connections.push_back({.local_number = first_number + n,
                             .remote_number = first_number + (1 - n),
                             .path = path_of(n),
                             .how = how_reliable});
      queues.push_back({connections.back(), queues_.back()->parts()});
      pingers_.push_back(std::make_unique<gpu_pinger>(0));
    }
    requesters_.emplace(0, queues, regions_.regions(), cuda::thread_scope_device, pieces);
    responders_.emplace(0, connections, regions_.regions(), pieces);
    frames_.emplace(requesters_->ends(), gpu_requesters::lead());
    requests_.emplace(responders_->ends(), connections, pieces);
    for (std::uint32_t n = 0; n < pair_ends; ++n) engine_->add(connections[n], {.elsewhere = &requesters_->ends()[n]});
    requesters_->start();
    responders_->start();
    thread_ = std::jthread{[this](std::stop_token const& asked) { run(asked); }};
  }
  ~two_kernels() {
    thread_ = {};
    requesters_->stop();
    responders_->stop();
    frames_->release();
    requests_->release();
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
    std::array<std::byte, most_overhead + frame_mtu> room;
    while (!asked.stop_requested()) {
      auto const now = rdma::detail::now_ns();
      frames_->give(pools_);
      auto const made = frames_->take(packets);
      auto const sent = port_.tx(queue_id{0}).send(std::span{packets}.first(made));
      rte_pktmbuf_free_bulk(packets.data() + sent, static_cast<unsigned>(made - sent));
      auto const got = port_.rx(queue_id{0}).receive(packets);
      for (auto* const packet : std::span{packets}.first(got))
        if (requests_->take(*packet) != gpu_requests::fate::kept) rte_pktmbuf_free(packet);
      // Acknowledgements go from one end's engine to the other's, which is the same one.
      for (auto answers = requests_->collect(*engine_); answers != 0; --answers)
        if (auto const bytes = engine_->make_frame(room, now)) engine_->take(std::span{room}.first(bytes), now);
    }
    if (is_known) rte_thread_unregister();
  }

  packet_pool firsts_;
  packet_pool rests_;
  port port_;
  std::vector<memory_registration> pinned_;
  frame_pools pools_;
  placed_memory sources_;
  placed_memory targets_;
  std::uint32_t bytes_;
  region_table regions_;
  memory_place local_{};
  memory_place remote_{};
  std::vector<std::unique_ptr<queue_pair>> queues_;
  std::vector<std::unique_ptr<gpu_pinger>> pingers_;
  std::optional<roce_engine> engine_;
  std::optional<gpu_requesters> requesters_;
  std::optional<gpu_responders> responders_;
  std::optional<gpu_frames> frames_;
  std::optional<gpu_requests> requests_;
  std::jthread thread_;
};

bool measure(char const* what, auto& both, std::uint32_t bytes, std::uint32_t iterations, std::uint32_t repeats) {
  for (std::uint32_t n = 0; n < repeats; ++n) {
    auto times = both.ping(iterations);
    if (times.empty()) return false;
    std::ranges::sort(times);
    auto const us = [&](double share) {
      return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))] / 1e3;
    };
    std::printf("%s, %u bytes, %zu round trips: p50 %.2f, p99 %.2f, p99.9 %.2f us\n", what, bytes, times.size(),
                us(0.5), us(0.99), us(0.999));
    std::fflush(stdout);
  }
  return true;
}

bool measure_all(std::uint32_t bytes, std::uint32_t iterations, std::uint32_t repeats, std::string const& frames) {
  eal_session const eal{
      {{"roce_latency_bench", "--no-pci", "--in-memory", "-l", "0", "--log-level=error", "--vdev=net_ring0"}, {}}};
  (void)open_gpu(0);
  if (frames == "endpoints") {
    pinging_endpoints both{bytes};
    return measure("two CPU threads make frames", both, bytes, iterations, repeats);
  }
  if (frames == "engine") {
    pinging_engine both{bytes};
    return measure("a CPU thread makes frames", both, bytes, iterations, repeats);
  }
  bool const are_two = frames == "two-pieces";
  two_kernels both{are_two ? frame_pieces::two : frame_pieces::one, bytes};
  return measure(are_two ? "kernels make frames in two pieces" : "kernels make frames in host memory", both, bytes,
                 iterations, repeats);
}

}  // namespace
}  // namespace packetwarp::rdma::roce

int main(int count, char** words) {
  auto const number = [&](int n, std::uint32_t otherwise) {
    return count > n ? static_cast<std::uint32_t>(std::strtoul(words[n], nullptr, 10)) : otherwise;
  };
  try {
    if (packetwarp::rdma::roce::measure_all(number(1, 8), number(2, 20'000), number(3, 5),
                                            count > 4 ? words[4] : "whole"))
      return 0;
    std::fprintf(stderr, "a write failed, or took too long\n");
  } catch (std::exception const& wrong) {
    std::fprintf(stderr, "%s\n", wrong.what());
  }
  return 1;
}
