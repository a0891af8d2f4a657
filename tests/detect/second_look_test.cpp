// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <vector>

#include "detect/flow_history.h"
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

// A group's work by the CPU's form of the stage, and by the steps of a GPU's kernels.
struct by_detect {
  using stage = detect;
  static void work(unsigned packets, detect_ref const&, detect::held const& held, detect::room& room) {
    detect::work(lone_lane{packets}, held, room);
  }
};
struct by_deep_detect {
  using stage = deep_detect;
  static void work(unsigned packets, detect_ref const& tables, detect::held const& held, deep_detect::room& room) {
    auto const version = deep_detect::version_in_force(tables);
    deep_detect::near_room near;
    auto const due = deep_detect::work_first(lone_lane{packets}, tables, version, held.epoch, room, near);
    finish(due, tables, version, held.epoch, room);
  }
  static void finish(std::uint32_t due, detect_ref const& tables, std::uint32_t version, epoch_number epoch,
                     deep_detect::room& room) {
    std::uint32_t count = 0;
    std::uint32_t found = 0;
    for (unsigned n = 0; n < joint_packets; ++n) {
      if ((due >> n & 1) == 0) continue;
      std::int32_t scores[most_scores_by_group];
      model::evaluate(deep_detect::wide_network(tables, version), deep_detect::row_of(n, room), 1, scores);
      ++count;
      if (deep_detect::take_scores(n, scores, tables, version, epoch, room)) ++found;
    }
    deep_detect::count_second(tables, count, found);
  }
};

// The first model asks for SYN, the large one for PSH.
template <class Form>
class second_look_bed {
  using stage = typename Form::stage;

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
    auto const held = stage::hold(tables, epoch);
    typename stage::room room;
    for (unsigned n = 0; n < frames.size(); ++n) {
      auto const size = static_cast<std::uint32_t>(frames[n].size());
      stage::gather(packet_view{frames[n].data(), size, size}, n, held, room);
    }
    Form::work(static_cast<unsigned>(frames.size()), tables, held, room);
    std::vector<std::uint32_t> said;
    for (unsigned n = 0; n < frames.size(); ++n) {
      auto const found = stage::annotation_of(n, room);
      auto const size = static_cast<std::uint32_t>(frames[n].size());
      packet_view const view{frames[n].data(), size, size};
      bool const is_dropped = stage::ingress(view, held, found) != next_hook();
      auto const is_anomalous = bits_of(found);
      EXPECT_EQ(is_dropped, is_anomalous != 0);
      said.push_back(is_anomalous);
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
  [[nodiscard]] static std::uint32_t bits_of(detect::annotation const& found) { return found.is_anomalous; }
  [[nodiscard]] static std::uint32_t bits_of(deep_detect::annotation const& found) {
    return found.by_models.is_anomalous;
  }

  model::integer_network first_;
  model::integer_network large_;
  detect_table table_;
};

constexpr std::uint32_t by_first = 1;
constexpr std::uint32_t by_large = 3;

template <class Form>
class second_look : public testing::Test {};
using both_forms = testing::Types<by_detect, by_deep_detect>;
TYPED_TEST_SUITE(second_look, both_forms);

TYPED_TEST(second_look, a_packet_is_judged_by_the_large_model_once_its_flow_has_had_enough_packets) {
  second_look_bed<TypeParam> bed{{3}};
  auto const suspect = frame_of(0, flag::ack | flag::psh);
  // Two epochs later a packet counts: the fourth packet sees three.
  for (epoch_number const epoch : {1U, 3U, 5U}) EXPECT_EQ(bed.judge(suspect, epoch), 0U) << epoch;
  EXPECT_EQ(bed.large().judged, 0U);
  EXPECT_EQ(bed.judge(suspect, 7), by_large);
  EXPECT_EQ(bed.large().judged, 1U);
  EXPECT_EQ(bed.large().anomalous, 1U);
}

TYPED_TEST(second_look, later_packets_of_the_flow_have_its_verdict_from_the_epoch_after_the_next_on) {
  second_look_bed<TypeParam> bed{{1}};
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

TYPED_TEST(second_look, packets_of_which_the_first_model_is_sure_keep_its_verdict) {
  second_look_bed<TypeParam> bed{{1}};
  EXPECT_EQ(bed.judge(frame_of(0, flag::syn), 1), by_first);
  EXPECT_EQ(bed.judge(frame_of(0, flag::syn), 3), by_first);
  EXPECT_EQ(bed.large().judged, 0U) << "its milestone passed without a verdict";
  EXPECT_EQ(bed.judge(frame_of(0, flag::ack | flag::psh), 5), 0U);
  EXPECT_EQ(bed.large().judged, 0U);
  // A wider band, and the large model calls it normal.
  second_look_bed<TypeParam> wide{{1}, -1000, 1000};
  EXPECT_EQ(wide.judge(frame_of(0, flag::syn), 1), by_first);
  EXPECT_EQ(wide.judge(frame_of(0, flag::syn), 3), 0U);
  EXPECT_EQ(wide.large().judged, 1U);
}

TYPED_TEST(second_look, a_record_says_that_the_large_model_decided) {
  second_look_bed<TypeParam> bed{{1}};
  EXPECT_EQ(bed.judge(frame_of(0, flag::ack), 1), 0U);
  EXPECT_EQ(bed.judge(frame_of(0, flag::ack | flag::psh), 3), by_large);
  EXPECT_EQ(bed.judge(frame_of(1, flag::syn), 3), by_first);
  std::vector<unsigned> sets;
  (void)bed.table().journal().read(0, 10, [&](auto const& one) { sets.push_back(one.set); });
  auto const current = static_cast<unsigned>(bed.table().set_in_force());
  EXPECT_EQ(sets, (std::vector<unsigned>{current | 2, current}));
}

TYPED_TEST(second_look, another_large_model_judges_from_its_publication_on) {
  second_look_bed<TypeParam> bed{{1, 3}};
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

TYPED_TEST(second_look, packets_beyond_the_limit_of_a_window_keep_the_first_models_verdict_and_are_counted) {
  second_look_bed<TypeParam> bed{{1}};
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

TYPED_TEST(second_look, random_flows_have_the_verdicts_of_the_rule) {
  std::vector<std::uint32_t> const milestones{2, 8, 32, 33};
  second_look_bed<TypeParam> bed{milestones};
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
      bool const is_sure = (flags & flag::syn) != 0;
      auto const verdict = flows[flow].judge(epoch, !is_sure, [flags] { return (flags & flag::psh) != 0; });
      wanted.push_back(verdict ? (*verdict ? by_large : 0) : (is_sure ? by_first : 0));
    }
    ASSERT_EQ(bed.judge(frames, epoch), wanted) << "group " << group << ", epoch " << epoch;
  }
  for (auto const& one : flows) judged += one.judged();
  EXPECT_EQ(bed.large().judged, judged);
  EXPECT_GT(judged, 100U);
  EXPECT_GT(bed.followed().judged, judged);
}

// Other models come into force while a GPU's kernels work on a batch.
TEST(second_look_by_kernels, a_batch_has_the_models_of_its_first_step_to_the_end) {
  second_look_bed<by_deep_detect> bed{{1}};
  auto first = frame_of(0, flag::ack);
  EXPECT_EQ(bed.judge(first, 1), 0U);
  auto const tables = bed.table().ref(0);
  auto suspect = frame_of(0, flag::ack | flag::psh);
  packet_view const view{suspect.data(), static_cast<std::uint32_t>(suspect.size()),
                         static_cast<std::uint32_t>(suspect.size())};
  deep_detect::room room;
  deep_detect::near_room near;
  deep_detect::gather(view, 0, deep_detect::hold(tables, 3), room);
  auto const version = deep_detect::version_in_force(tables);
  auto const due = deep_detect::work_first(lone_lane{1}, tables, version, 3, room, near);
  EXPECT_EQ(due, 1U);
  auto other = bed.input_of({1}, 0, 0);
  other.action = detect_action::count;
  other.large.model.threshold = 2 * sure;
  bed.table().prepare(other);
  bed.table().publish();
  by_deep_detect::finish(due, tables, version, 3, room);
  auto const held = deep_detect::hold(tables, 3);
  auto const found = deep_detect::annotation_of(0, room);
  EXPECT_EQ(found.by_models.is_anomalous, by_large);
  EXPECT_FALSE(deep_detect::passes(view, held, found));
  EXPECT_EQ(deep_detect::ingress(view, held, found), verdict::drop(function_drop(deep_detect::anomalous)));
  std::vector<unsigned> sets;
  (void)bed.table().journal().read(0, 10, [&](auto const& one) { sets.push_back(one.set); });
  EXPECT_EQ(sets, (std::vector<unsigned>{version | 2}));
}

}  // namespace
}  // namespace packetwarp::test
