// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <vector>

#include "detect/question.h"
#include "feature/row.h"
#include "fixtures/packet_builder.h"
#include "function/detect/detect.h"
#include "function/detect/detect_table.h"
#include "wire/tcp.h"

// A large model that judges packets of uncertain flows at their milestones, against the rule of
// docs/functions/detect.md applied to the list of all packets so far.
namespace packetwarp::test {
namespace {

using feature::place;
namespace flag = wire::tcp_flag;

constexpr std::int32_t sure = 100;      // the first model's score of packets with SYN; all others have 0
constexpr std::int64_t threshold = 50;  // of both models
constexpr std::uint16_t first_port = 40'000;

[[nodiscard]] bytes frame_of(std::uint16_t flow, unsigned flags) {
  return packet_builder{}.eth().ipv4().tcp(static_cast<std::uint16_t>(first_port + flow), 80, flags).build();
}

// The first model asks for SYN, the large one for PSH.
class second_look_bed {
 public:
  explicit second_look_bed(std::vector<std::uint32_t> const& milestones, std::int64_t low = 0, std::int64_t high = 0)
      : table_{input_of(milestones, low, high),
               {.flows = 64, .hosts = 64},
               {0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345},
               1,
               {}} {}

  // Whether the packets, which are one group, are anomalous.
  [[nodiscard]] std::vector<std::uint32_t> judge(std::vector<bytes>& frames, epoch_number epoch) {
    auto const tables = table_.ref(0);
    auto const held = detect::hold(tables, epoch);
    detect::room room;
    for (unsigned n = 0; n < frames.size(); ++n) {
      auto const size = static_cast<std::uint32_t>(frames[n].size());
      detect::gather(packet_view{frames[n].data(), size, size}, n, held, room);
    }
    detect::work(lone_lane{static_cast<unsigned>(frames.size())}, held, room);
    std::vector<std::uint32_t> said;
    for (unsigned n = 0; n < frames.size(); ++n) {
      auto const found = detect::annotation_of(n, room);
      auto const size = static_cast<std::uint32_t>(frames[n].size());
      packet_view const view{frames[n].data(), size, size};
      bool const is_dropped = detect::ingress(view, held, found) != next_hook();
      EXPECT_EQ(is_dropped, found.is_anomalous != 0);
      said.push_back(found.is_anomalous);
    }
    return said;
  }
  [[nodiscard]] std::uint32_t judge(bytes frame, epoch_number epoch) {
    std::vector<bytes> one{std::move(frame)};
    return judge(one, epoch).front();
  }
  [[nodiscard]] detect_table& table() { return table_; }
  [[nodiscard]] detect_count large() const { return table_.counted(large_detect_counter); }
  [[nodiscard]] detect_count limited() const { return table_.counted(limited_detect_counter); }
  [[nodiscard]] detect_count followed() const { return table_.counted(followed_detect_counter); }

  [[nodiscard]] detect_input input_of(std::vector<std::uint32_t> const& milestones, std::int64_t low,
                                      std::int64_t high) {
    first_ = network_of({.at = place::syn, .number = 0, .above = {sure}});
    large_ = network_of({.at = place::psh, .number = 0, .above = {sure}});
    detect_input made{.models = {{first_.ref(), threshold}},
                      .action = detect_action::drop,
                      .dscp = 8,
                      .most_records = 1000,
                      .most_punts = 0,
                      .large = {.model = {large_.ref(), threshold},
                                .low = low,
                                .high = high,
                                .milestones = {},
                                .count = static_cast<std::uint32_t>(milestones.size()),
                                .most = most}};
    std::copy(milestones.begin(), milestones.end(), made.large.milestones);
    return made;
  }

  static constexpr std::uint32_t most = 5000;

 private:
  model::integer_network first_;
  model::integer_network large_;
  detect_table table_;
};

constexpr std::uint32_t by_first = 1;
constexpr std::uint32_t by_large = 3;

TEST(second_look, a_packet_is_judged_by_the_large_model_once_its_flow_has_had_enough_packets) {
  second_look_bed bed{{3}};
  auto const suspect = frame_of(0, flag::ack | flag::psh);
  // Two epochs later a packet counts: the fourth packet sees three.
  for (epoch_number const epoch : {1U, 3U, 5U}) EXPECT_EQ(bed.judge(suspect, epoch), 0U) << epoch;
  EXPECT_EQ(bed.large().judged, 0U);
  EXPECT_EQ(bed.judge(suspect, 7), by_large);
  EXPECT_EQ(bed.large().judged, 1U);
  EXPECT_EQ(bed.large().anomalous, 1U);
}

TEST(second_look, later_packets_of_the_flow_have_its_verdict_from_the_epoch_after_the_next_on) {
  second_look_bed bed{{1}};
  EXPECT_EQ(bed.judge(frame_of(0, flag::ack), 1), 0U);
  EXPECT_EQ(bed.judge(frame_of(0, flag::ack | flag::psh), 3), by_large);
  // The next epoch does not know it yet: its packets are due, too.
  EXPECT_EQ(bed.judge(frame_of(0, flag::ack), 4), 0U);
  EXPECT_EQ(bed.large().judged, 2U);
  EXPECT_EQ(bed.judge(frame_of(0, flag::ack), 5), by_large) << "as the packet of epoch 3";
  EXPECT_EQ(bed.judge(frame_of(0, flag::ack), 6), 0U) << "as the packet of epoch 4";
  EXPECT_EQ(bed.judge(frame_of(0, flag::ack | flag::psh), 9000), 0U);
  EXPECT_EQ(bed.large().judged, 2U);
  EXPECT_EQ(bed.followed().judged, 3U);
  EXPECT_EQ(bed.followed().anomalous, 1U);
}

TEST(second_look, packets_of_which_the_first_model_is_sure_keep_its_verdict) {
  second_look_bed bed{{1}};
  EXPECT_EQ(bed.judge(frame_of(0, flag::syn), 1), by_first);
  EXPECT_EQ(bed.judge(frame_of(0, flag::syn), 3), by_first);
  EXPECT_EQ(bed.large().judged, 0U) << "its milestone passed without a verdict";
  EXPECT_EQ(bed.judge(frame_of(0, flag::ack | flag::psh), 5), 0U);
  EXPECT_EQ(bed.large().judged, 0U);
  // A wider band, and the large model calls it normal.
  second_look_bed wide{{1}, -1000, 1000};
  EXPECT_EQ(wide.judge(frame_of(0, flag::syn), 1), by_first);
  EXPECT_EQ(wide.judge(frame_of(0, flag::syn), 3), 0U);
  EXPECT_EQ(wide.large().judged, 1U);
}

TEST(second_look, a_record_says_that_the_large_model_decided) {
  second_look_bed bed{{1}};
  EXPECT_EQ(bed.judge(frame_of(0, flag::ack), 1), 0U);
  EXPECT_EQ(bed.judge(frame_of(0, flag::ack | flag::psh), 3), by_large);
  EXPECT_EQ(bed.judge(frame_of(1, flag::syn), 3), by_first);
  std::vector<unsigned> sets;
  (void)bed.table().journal().read(0, 10, [&](auto const& one) { sets.push_back(one.set); });
  auto const current = static_cast<unsigned>(bed.table().set_in_force());
  EXPECT_EQ(sets, (std::vector<unsigned>{current | 2, current}));
}

TEST(second_look, another_large_model_judges_from_its_publication_on) {
  second_look_bed bed{{1, 3}};
  EXPECT_EQ(bed.judge(frame_of(0, flag::ack), 1), 0U);
  EXPECT_EQ(bed.judge(frame_of(0, flag::ack | flag::psh), 3), by_large);
  auto const asks_for_urg = network_of({.at = place::urg, .number = 0, .above = {sure}});
  auto other = bed.input_of({1, 3}, 0, 0);
  other.large.model.network = asks_for_urg.ref();
  bed.table().prepare(other);
  bed.table().publish();
  EXPECT_EQ(bed.judge(frame_of(0, flag::ack), 5), by_large) << "the flow keeps its verdict";
  EXPECT_EQ(bed.judge(frame_of(0, flag::ack | flag::psh), 7), 0U) << "until its next milestone";
  other.large.count = 0;
  bed.table().prepare(other);
  bed.table().publish();
  EXPECT_EQ(bed.judge(frame_of(0, flag::ack | flag::urg), 9), 0U);
  EXPECT_EQ(bed.judge(frame_of(0, flag::syn), 11), by_first);
}

TEST(second_look, packets_beyond_the_limit_of_a_window_keep_the_first_models_verdict_and_are_counted) {
  second_look_bed bed{{1}};
  auto one = bed.input_of({1}, -1000, 1000);
  one.large.most = 1;
  bed.table().prepare(one);
  bed.table().publish();
  for (unsigned flow = 0; flow < 3; ++flow)
    EXPECT_EQ(bed.judge(frame_of(static_cast<std::uint16_t>(flow), flag::ack), 1), 0U);
  EXPECT_EQ(bed.judge(frame_of(0, flag::ack | flag::psh), 3), by_large);
  EXPECT_EQ(bed.judge(frame_of(1, flag::ack | flag::psh), 3), 0U);
  EXPECT_EQ(bed.judge(frame_of(2, flag::syn), 3), by_first);
  EXPECT_EQ(bed.large().judged, 1U);
  EXPECT_EQ(bed.limited().judged, 2U);
  // In the next window, a flow that comes to the milestone.
  EXPECT_EQ(bed.judge(frame_of(3, flag::ack), 1024), 0U);
  EXPECT_EQ(bed.judge(frame_of(3, flag::ack | flag::psh), 1026), by_large);
}

// The packets of a flow so far, of which all follows.
class flow_history {
 public:
  struct seen {
    epoch_number epoch;
    std::uint32_t passed;   // milestones, as the packet's epoch sees it
    std::uint32_t verdict;  // by the large model; 0: it was not asked
  };

  explicit flow_history(std::vector<std::uint32_t> milestones) : milestones_{std::move(milestones)} {}

  // The packet's annotation.
  [[nodiscard]] std::uint32_t judge(unsigned flags, epoch_number epoch) {
    auto const by_now = passed(epoch);
    std::uint32_t before = 0;
    epoch_number latest = 0;
    for (auto const& one : packets_) {
      if (one.epoch + 2 > epoch) continue;
      before |= one.passed;
      if (one.verdict != 0) latest = std::max(latest, one.epoch);
    }
    packets_.push_back({epoch, by_now, 0});
    if ((flags & flag::syn) != 0) return by_first;
    if ((by_now & ~before) != 0) {
      ++judged_;
      bool const is_anomalous = (flags & flag::psh) != 0;
      packets_.back().verdict = is_anomalous ? 2 : 1;
      return is_anomalous ? by_large : 0;
    }
    for (auto const& one : packets_) {
      if (latest != 0 && one.epoch == latest && one.verdict == 2) return by_large;
    }
    return 0;
  }
  [[nodiscard]] std::uint64_t judged() const { return judged_; }

 private:
  [[nodiscard]] std::uint32_t passed(epoch_number epoch) const {
    std::uint32_t packets = 0;
    for (auto const& one : packets_) packets += one.epoch + 2 <= epoch ? 1 : 0;
    std::uint32_t all = 0;
    for (std::size_t n = 0; n < milestones_.size(); ++n) all |= packets >= milestones_[n] ? 1U << n : 0U;
    return all;
  }

  std::vector<std::uint32_t> milestones_;
  std::vector<seen> packets_;
  std::uint64_t judged_{};
};

TEST(second_look, random_flows_have_the_verdicts_of_the_rule) {
  std::vector<std::uint32_t> const milestones{2, 8, 32, 33};
  second_look_bed bed{milestones};
  std::vector<flow_history> flows(7, flow_history{milestones});
  constexpr std::array<unsigned, 4> kinds{flag::ack, flag::ack | flag::psh, flag::syn, flag::ack};
  std::mt19937 random{5};
  epoch_number epoch = first_epoch;
  std::uint64_t judged = 0;
  for (unsigned group = 0; group < 400; ++group) {
    epoch += random() % 3 == 0 ? random() % 4 : 0;
    std::vector<bytes> frames;
    std::vector<std::uint32_t> wanted;
    for (auto n = random() % joint_packets + 1; n > 0; --n) {
      // Flow 0 has most packets, and the last ones have few.
      auto const flow = std::min(random() % 7, random() % 7);
      auto const flags = kinds[random() % kinds.size()];
      frames.push_back(frame_of(static_cast<std::uint16_t>(flow), flags));
      wanted.push_back(flows[flow].judge(flags, epoch));
    }
    ASSERT_EQ(bed.judge(frames, epoch), wanted) << "group " << group << ", epoch " << epoch;
  }
  for (auto const& one : flows) judged += one.judged();
  EXPECT_EQ(bed.large().judged, judged);
  EXPECT_GT(judged, 100U);
  EXPECT_GT(bed.followed().judged, judged);
}

}  // namespace
}  // namespace packetwarp::test
