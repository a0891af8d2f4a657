// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "detect/answer_oracle.h"
#include "detect/flow_history.h"
#include "executor/gpu/gpu_work.h"
#include "executor/make.h"
#include "feature/observe.h"
#include "fixtures/exact_count.h"
#include "function/chain.h"
#include "function/detect/detect.h"
#include "function/detect/detect_table.h"
#include "function/router/router.h"
#include "model/evaluate.h"
#include "model/random_networks.h"
#include "parity/oracles.h"
#include "parity/packet_bed.h"

// Packets of flows and hosts that come again and again, through `detect` in front of a router, on any executor: each
// packet's verdict against the state that a plain loop over all packets has kept.
namespace packetwarp::test {

using judged_routes = chain<detect, router>;
inline constexpr hash_key detect_key{0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345};
inline constexpr feature::state_sizes detect_sizes{.flows = 65'536, .hosts = 32'768};
inline constexpr egress_index detect_ingress{5};  // of the packets of a bed

[[nodiscard]] inline table_refs<judged_routes> tables_of(detect_ref cpu, detect_ref gpu,
                                                         table_refs<router> const& routes) {
  cpu.ingress = gpu.ingress = static_cast<std::uint16_t>(detect_ingress);
  return {{{cpu}, {routes.cpu}}, {{gpu}, {routes.gpu}}};
}

// The expected verdicts: rows by feature::observe() one after the other, scores by model::evaluate(), and a large
// model's packets by the flows' histories. Anomalous packets are dropped or copied, or all packets are answered.
class detect_oracle {
 public:
  detect_oracle(model::network_ref network, std::int64_t threshold, detect_action action = detect_action::drop,
                detect_large const& large = {})
      : network_{network}, threshold_{threshold}, action_{action}, large_{large} {}

  // By the first model.
  [[nodiscard]] std::int32_t score(packet_view packet, epoch_number epoch) {
    feature::observe(feature::facts_of(packet), epoch, state_.ref(), row_);
    return score_of_row(network_);
  }
  // By the large one, of the same packet.
  [[nodiscard]] std::int32_t large_score() const { return score_of_row(large_.model.network); }
  [[nodiscard]] verdict process(oracle_packet packet) {
    auto const contiguous = static_cast<std::uint32_t>(packet.first.size());
    packet_view const view{packet.first.data(), contiguous, packet.length};
    auto const found = score(view, packet.epoch);
    auto const excess = found - threshold_;
    anomalous_ += excess > 0 ? 1 : 0;
    bool const is_anomalous = verdict_on(view, packet.epoch, found).value_or(excess > 0);
    if (is_anomalous) {
      ++told_;
      scores_[feature::keys_of(feature::facts_of(view), detect_key).flow].insert(found);
    }
    if (action_ == detect_action::answer_all) {
      auto const fate = expected_answer(packet.first, packet.length, excess);
      if (fate.what == answer_fate::kind::answered) {
        ++answered_;
        return verdict::forward(detect_ingress);
      }
      if (fate.what == answer_fate::kind::refused) {
        return verdict::drop(static_cast<drop_reason>(static_cast<std::uint16_t>(as_chains_) + 2 + fate.reason));
      }
    } else if (is_anomalous && action_ == detect_action::drop) {
      return verdict::drop(as_chains_);
    }
    auto const routed = oracle<router>::process(packet);
    return is_anomalous && action_ == detect_action::mirror ? routed.with_copy() : routed;
  }
  // By the first model.
  [[nodiscard]] std::uint64_t anomalous() const { return anomalous_; }
  // By the model that decides.
  [[nodiscard]] std::uint64_t told() const { return told_; }
  // Packets that the large model judged, and packets with their flow's verdict.
  [[nodiscard]] std::uint64_t judged_by_large() const { return sum_of(&flow_history::judged); }
  [[nodiscard]] std::uint64_t followed() const { return sum_of(&flow_history::followed); }
  // By flow: the scores of its anomalous packets.
  [[nodiscard]] std::map<std::uint64_t, std::set<std::int32_t>> const& scores() const { return scores_; }
  [[nodiscard]] std::uint64_t answered() const { return answered_; }

 private:
  // The drop names of the router come first.
  static constexpr drop_reason as_chains_ = function_drop(static_cast<std::uint16_t>(router::drop_names.size()));

  // The large model's, or nothing if the first one's stands.
  [[nodiscard]] std::optional<bool> verdict_on(packet_view packet, epoch_number epoch, std::int32_t first) {
    auto const facts = feature::facts_of(packet);
    if (large_.count == 0 || facts.ip_version == 0) return std::nullopt;
    std::vector<std::uint32_t> const milestones(large_.milestones, large_.milestones + large_.count);
    auto& flow = flows_.try_emplace(feature::keys_of(facts, detect_key).flow, milestones).first->second;
    bool const is_uncertain = first >= large_.low && first <= large_.high;
    return flow.judge(epoch, is_uncertain, [this] { return large_score() > large_.model.threshold; });
  }
  [[nodiscard]] std::int32_t score_of_row(model::network_ref network) const {
    std::int32_t made{};
    model::evaluate(network, row_, 1, &made);
    return made;
  }
  [[nodiscard]] std::uint64_t sum_of(std::uint64_t (flow_history::*count)() const) const {
    std::uint64_t all = 0;
    for (auto const& one : flows_) all += (one.second.*count)();
    return all;
  }

  model::network_ref network_;
  std::int64_t threshold_;
  detect_action action_;
  detect_large large_;
  alignas(64) std::int8_t row_[model::row_bytes]{};  // of the last packet
  feature::feature_state state_{detect_sizes, detect_key};
  std::uint64_t anomalous_{};
  std::uint64_t told_{};
  std::map<std::uint64_t, flow_history> flows_;
  std::map<std::uint64_t, std::set<std::int32_t>> scores_;
  std::uint64_t answered_{};
};

// A random network of one score that tells rows of small features apart: many random ones give nearly all of them one
// score.
[[nodiscard]] inline model::integer_network make_varied(model::test::random_networks& random,
                                                        std::vector<std::uint32_t> const& widths) {
  constexpr std::uint32_t rows = 256;
  auto features = random.any_bytes(rows * model::row_bytes);
  for (auto& one : features) one = static_cast<std::int8_t>(one & 0x3f);
  for (;;) {
    auto made = random.make_dense(widths);
    std::vector<std::int32_t> scores(rows);
    model::evaluate(made.ref(), features.data(), rows, scores.data());
    if (std::set(scores.begin(), scores.end()).size() > rows / 4) return made;
  }
}

// The one that packet_bed calls.
inline std::unique_ptr<detect_oracle> current_oracle;

// How often a corpus passes: `otherwise`, or often enough for exact_count() packets.
[[nodiscard]] inline unsigned rounds_of(std::size_t packets, unsigned otherwise) {
  return static_cast<unsigned>((exact_count(otherwise * packets) + packets - 1) / packets);
}

class detect_bed {
 public:
  static constexpr std::uint32_t slots = 16;

  // network: one score per packet; it outlives the bed. action: drop, mirror or answer_all.
  detect_bed(model::network_ref network, std::size_t packets, std::uint32_t burst,
             detect_action action = detect_action::drop)
      : bed_{make_corpus(packets)}, ring_{slots, burst}, burst_{burst}, network_{network}, action_{action} {
    bed_.expect([](oracle_packet) { return verdict::punt(); });  // until publish() knows better
    threshold_ = quantile(2, 4, model_kind::first);
    current_oracle = std::make_unique<detect_oracle>(network, threshold_, action);
  }
  // The same with a large model, which has one score, too: of packets in the middle of the first one's scores.
  detect_bed(model::network_ref network, model::network_ref large, std::size_t packets, std::uint32_t burst,
             detect_action action)
      : detect_bed{network, packets, burst, action} {
    large_ = {.model = {large, 0}, .low = 0, .high = 0, .milestones = {2, 4}, .count = 2, .most = 1U << 30};
    large_.low = quantile(1, 4, model_kind::first);
    large_.high = quantile(3, 4, model_kind::first);
    large_.model.threshold = quantile(2, 4, model_kind::large);
    current_oracle = std::make_unique<detect_oracle>(network, threshold_, action, large_);
  }
  ~detect_bed() { current_oracle.reset(); }

  [[nodiscard]] std::int64_t threshold() const { return threshold_; }
  [[nodiscard]] burst_ring& ring() { return ring_; }
  [[nodiscard]] detect_input input() const {
    return {.models = {{network_, threshold_}},
            .action = action_,
            .dscp = 0,
            .most_records = 1U << 30,
            .most_copies = 1U << 30,
            .large = large_};
  }

  // Passes the corpus `rounds` times. Epochs rise as the RX job lets them (burst/epoch_clock.h): while bursts are in
  // flight, these have two neighbouring epochs at most.
  void pass(executor& work, unsigned rounds, std::function<void()> const& meanwhile = {}) {
    for (unsigned round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
      bed_.refill();
      published_ = checked_ = 0;
      while (checked_ < bed_.size() && !testing::Test::HasFailure()) {
        while (published_ < bed_.size() && ring_.open() != nullptr) publish();
        (void)work.poll();
        if (meanwhile) meanwhile();
        check_done();
      }
    }
  }

  // Reads the records that the executor has written: each is of a packet that the oracle calls anomalous, too.
  void read_records(anomaly_journal& journal) {
    (void)journal.read(0, anomaly_journal::records, [this](detect_parts::anomaly const& seen) {
      auto const found = current_oracle->scores().find(seen.flow);
      ASSERT_NE(found, current_oracle->scores().end());
      packets_ += seen.packets;
      if ((seen.set & detect_parts::anomaly::rest) != 0) return;
      ASSERT_TRUE(found->second.contains(seen.score)) << seen.score;
      recorded_.insert(seen.flow);
    });
  }
  // After the last packet.
  void expect_all_flows_recorded(anomaly_journal const& journal) const {
    auto const unrecorded = journal.unrecorded();
    EXPECT_EQ(unrecorded.limited, 0U);
    EXPECT_GT(recorded_.size(), 0U);
    EXPECT_GE(recorded_.size() + unrecorded.lost, current_oracle->scores().size());
    EXPECT_LE(packets_, current_oracle->told());
  }

 private:
  enum class model_kind : std::uint8_t { first, large };
  // The score that this part of the first round's packets is below; of a sixteenth of them for the large model.
  [[nodiscard]] std::int64_t quantile(std::size_t part, std::size_t of, model_kind which) {
    detect_oracle probe{network_, 0, action_, large_};
    std::vector<std::int32_t> scores;
    bed_.refill();
    for (std::size_t n = 0; n < bed_.size(); ++n) {
      auto const& packet = *bed_.packet(n);
      packet_view const view{rte_pktmbuf_mtod(&packet, std::byte*), packet.data_len, packet.pkt_len};
      auto const first = probe.score(view, first_epoch + n / burst_);
      if (which == model_kind::first) scores.push_back(first);
      if (which == model_kind::large && n % 16 == 0) scores.push_back(probe.large_score());
    }
    auto const at = scores.begin() + static_cast<std::ptrdiff_t>(scores.size() * part / of);
    std::nth_element(scores.begin(), at, scores.end());
    return *at;
  }

  void publish() {
    auto& open = *ring_.open();
    auto const begin = published_;
    for (; open.size < burst_ && published_ < bed_.size(); ++published_) {
      open.packets[open.size++] = bed_.packet(published_);
      open.has_chained |= bed_.is_chained(published_);
    }
    raise_epoch();
    bed_.expect([](oracle_packet packet) { return current_oracle->process(packet); }, begin, published_, epoch_);
    ring_.publish(epoch_);
  }
  // Every third burst asks for a later epoch, some for one much later.
  void raise_epoch() {
    if (++bursts_ % 3 != 0 || !ring_.has_released(epoch_begin_)) return;
    bool const is_empty = ring_.has_released(ring_.published());
    epoch_ += is_empty && bursts_ % 7 == 0 ? 300 : 1;
    epoch_begin_ = ring_.published();
  }
  void check_done() {
    for (auto* done = ring_.next_done(); done != nullptr; done = ring_.next_done()) {
      auto const outcome = ring_.outcome();
      for (std::uint32_t i = 0; i < done->size; ++i, ++checked_) {
        ASSERT_EQ(done->packets[i], bed_.packet(checked_)) << "packet " << checked_ << " is out of order";
        ASSERT_EQ(bed_.difference(checked_, outcome.is_uniform() ? outcome.of_all() : done->verdicts[i]), "")
            << "epoch " << done->epoch;
      }
      ring_.release();
    }
  }

  packet_bed bed_;
  burst_ring ring_;
  std::uint32_t burst_;
  model::network_ref network_;
  detect_action action_;
  std::int64_t threshold_{};
  detect_large large_{};
  std::size_t published_{};
  std::size_t checked_{};
  std::uint64_t bursts_{};
  epoch_number epoch_{first_epoch};
  std::set<std::uint64_t> recorded_;
  std::uint64_t packets_{};
  std::uint64_t epoch_begin_{};
};

}  // namespace packetwarp::test
