// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "detect/detect_bed.h"
#include "fixtures/mbufs.h"
#include "fixtures/packet_builder.h"
#include "fixtures/repetitions.h"
#include "model/random_networks.h"

// Many packets of few flows, which come to their milestones together, by laps of a ring: an epoch each.
namespace packetwarp::test {

inline constexpr std::uint32_t burst_of_lap = 64;
inline constexpr std::uint32_t slots_of_lap = 16;
inline constexpr unsigned flows_at_a_time = 8;
inline constexpr unsigned sets_of_flows = repetitions(150U, 10);
// A lap is an epoch: two have no verdict, in two all packets are due, and two follow them.
inline constexpr unsigned laps_of_a_set = 6;

// Packets that the router sends nowhere and leaves as they are, so that all pipelines and laps have the same ones.
class still_packets {
 public:
  still_packets() {
    for (unsigned set = 0; set < sets_of_flows; ++set) {
      for (unsigned n = 0; n < burst_of_lap; ++n) {
        auto const flow = n % flows_at_a_time;
        auto const frame = packet_builder{}
                               .eth()
                               .ipv4("10.0.0.1", "10.0.0.2")
                               .ttl(1)
                               .udp(1024 + set * flows_at_a_time + flow, 53)
                               .payload(18 + flow * 60)
                               .build();
        packets_.push_back(make_packet(pool_, frame));
      }
    }
  }
  still_packets(still_packets const&) = delete;
  still_packets& operator=(still_packets const&) = delete;
  ~still_packets() {
    for (auto* one : packets_) rte_pktmbuf_free(one);
  }
  [[nodiscard]] std::span<rte_mbuf* const> of(unsigned set) const {
    return std::span{packets_}.subspan(std::size_t{set} * burst_of_lap, burst_of_lap);
  }

 private:
  packet_pool pool_{small_pool("still", sets_of_flows* burst_of_lap, 1024)};
  std::vector<rte_mbuf*> packets_;
};

// A ring with its executor, which takes a lap of bursts at a time.
class lap_pipeline {
 public:
  [[nodiscard]] burst_ring& ring() { return ring_; }
  void run_by(std::unique_ptr<executor> work) { work_ = std::move(work); }
  [[nodiscard]] gpu_work& gpu() const { return *work_->on_gpu(); }

  void publish_lap(std::span<rte_mbuf* const> packets, epoch_number epoch) {
    verdicts_.clear();
    for (std::uint32_t n = 0; n < slots_of_lap; ++n) {
      auto& open = *ring_.open();
      std::copy(packets.begin(), packets.end(), open.packets);
      open.size = burst_of_lap;
      ring_.publish(epoch);
    }
  }
  // Whether the lap is done.
  [[nodiscard]] bool poll() {
    (void)work_->poll();
    for (auto* done = ring_.next_done(); done != nullptr; done = ring_.next_done()) {
      auto const outcome = ring_.outcome();
      for (std::uint32_t i = 0; i < burst_of_lap; ++i) {
        verdicts_.push_back((outcome.is_uniform() ? outcome.of_all() : done->verdicts[i]).raw());
      }
      ring_.release();
    }
    return verdicts_.size() == slots_of_lap * burst_of_lap;
  }
  [[nodiscard]] std::vector<std::uint16_t> const& verdicts() const { return verdicts_; }

 private:
  burst_ring ring_{slots_of_lap, burst_of_lap};
  std::unique_ptr<executor> work_;
  std::vector<std::uint16_t> verdicts_;  // of the lap
};

// The large model's score that half of the flows' packets are above.
[[nodiscard]] inline std::int64_t middle_score(still_packets const& packets, model::network_ref first,
                                               detect_large large) {
  detect_oracle probe{first, 0, detect_action::drop, large};
  std::vector<std::int32_t> scores;
  for (epoch_number epoch = first_epoch; epoch < first_epoch + laps_of_a_set; ++epoch) {
    for (auto const* packet : packets.of(0)) {
      (void)probe.score({rte_pktmbuf_mtod(packet, std::byte*), packet->data_len, packet->pkt_len}, epoch);
      scores.push_back(probe.large_score());
    }
  }
  std::sort(scores.begin(), scores.end());
  return scores[scores.size() / 2];
}

// A first model and a large one, for all scores of the first.
class lap_models {
 public:
  explicit lap_models(still_packets const& packets) {
    large_.model.threshold = middle_score(packets, first_.ref(), large_);
  }
  [[nodiscard]] detect_input input() const {
    return {
        .models = {{first_.ref(), 0}}, .action = detect_action::drop, .dscp = 0, .most_records = 1000, .large = large_};
  }

 private:
  model::test::random_networks random_{1};
  model::integer_network first_{make_varied(random_, {model::row_bytes, 64, 32, 1})};
  model::integer_network second_{make_varied(random_, {model::row_bytes, 512, 512, 256, 1})};
  detect_large large_{.model = {second_.ref(), 0},
                      .low = std::numeric_limits<std::int64_t>::min(),
                      .high = std::numeric_limits<std::int64_t>::max(),
                      .milestones = {8, 32},
                      .count = 2,
                      .most = 1U << 30};
};

// The counts of the CPU's executor after all laps.
inline void expect_counts_of_laps(detect_table const& cpu) {
  constexpr auto packets_of_lap = std::uint64_t{slots_of_lap} * burst_of_lap;
  auto const large = cpu.counted(large_detect_counter);
  EXPECT_EQ(large.judged, packets_of_lap * 2 * sets_of_flows);
  EXPECT_GT(large.anomalous, 0U);
  EXPECT_LT(large.anomalous, large.judged);
  EXPECT_EQ(cpu.counted(followed_detect_counter).judged, packets_of_lap * 2 * sets_of_flows);
  EXPECT_EQ(cpu.counted(0).judged, packets_of_lap * laps_of_a_set * sets_of_flows);
}

}  // namespace packetwarp::test
