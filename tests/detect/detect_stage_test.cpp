// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "detect/question.h"
#include "feature/packet_keys.h"
#include "feature/row.h"
#include "fixtures/packet_builder.h"
#include "function/detect/detect.h"
#include "function/detect/detect_table.h"
#include "wire/checksum.h"
#include "wire/tcp.h"

namespace packetwarp::test {
namespace {

using feature::place;

constexpr hash_key flow_key{0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345};

// A table with these models, and the stage's work on packets one after the other.
class stage_bed {
 public:
  stage_bed(std::vector<question> const& asked, detect_action action, std::int64_t threshold = 50)
      : table_{input_of(asked, action, threshold), {.flows = 64, .hosts = 64}, flow_key, 2, {}} {}

  [[nodiscard]] detect_input input_of(std::vector<question> const& asked, detect_action action,
                                      std::int64_t threshold = 50) {
    networks_.clear();
    for (auto const& one : asked) networks_.push_back(network_of(one));
    detect_input made{
        .models = {}, .action = action, .dscp = 8, .most_records = most_records, .most_punts = 2, .most_copies = 2};
    for (auto const& one : networks_) made.models.push_back({one.ref(), threshold});
    return made;
  }

  [[nodiscard]] verdict judge(std::span<std::byte> frame, epoch_number epoch = 1, std::size_t pipeline = 0) {
    auto const tables = table_.ref(pipeline);
    auto const held = detect::hold(tables, epoch);
    packet_view const view{frame.data(), static_cast<std::uint32_t>(frame.size()),
                           static_cast<std::uint32_t>(frame.size())};
    detect::room room;
    detect::gather(view, 0, held, room);
    detect::work(lone_lane{1}, held, room);
    auto const found = detect::annotation_of(0, room);
    bool const passes = detect::passes(view, held, found);
    auto const said = detect::ingress(view, held, found);
    EXPECT_TRUE(!passes || said == next_hook());
    copied_ = detect::asks_for_copy(held, found);
    EXPECT_EQ(found.is_anomalous, found.score > held.set.models[0].threshold ? 1U : 0U);
    return said;
  }
  [[nodiscard]] detect_table& table() { return table_; }
  // The records that the stage has written since the last call.
  [[nodiscard]] std::vector<detect_parts::anomaly> recorded() {
    std::vector<detect_parts::anomaly> all;
    (void)table_.journal().read(0, most_records, [&](auto const& one) { all.push_back(one); });
    return all;
  }
  static constexpr std::uint32_t most_records = 3;
  // Whether the packet that was judged last has a copy.
  [[nodiscard]] bool has_copied() const { return copied_; }

 private:
  std::vector<model::integer_network> networks_;
  detect_table table_;
  bool copied_{};
};

[[nodiscard]] bytes tcp_with(unsigned flags) { return packet_builder{}.eth().ipv4().tcp(50'000, 80, flags).build(); }
constexpr unsigned syn = wire::tcp_flag::syn;
constexpr unsigned ack = wire::tcp_flag::ack;
question const is_syn{.at = place::syn, .number = 0};

struct sent_flow {
  std::uint64_t flow;  // its key
  bytes frame;
};
// Flows with anomalous packets whose keys end with the same digits.
[[nodiscard]] std::vector<sent_flow> flows_with_the_same(unsigned digits, std::size_t count) {
  std::vector<sent_flow> made;
  for (std::uint16_t port = 1024; made.size() < count && port != 0; ++port) {
    auto frame = packet_builder{}.eth().ipv4().tcp(port, 80, syn).build();
    auto const size = static_cast<std::uint32_t>(frame.size());
    auto const flow = feature::keys_of(feature::facts_of(frame.data(), size, size), flow_key).flow;
    bool const fits = made.empty() || ((flow ^ made.front().flow) & ((1U << digits) - 1)) == 0;
    if (fits) made.push_back({flow, std::move(frame)});
  }
  return made;
}

TEST(detect_stage, a_packet_above_the_threshold_has_the_actions_fate) {
  auto attack = tcp_with(syn);
  auto normal = tcp_with(ack);
  for (auto const& [action, fate] :
       {std::pair{detect_action::drop, verdict::drop(function_drop(detect::anomalous))},
        std::pair{detect_action::punt, verdict::punt()}, std::pair{detect_action::count, next_hook()}}) {
    stage_bed bed{{is_syn}, action};
    auto const before = attack;
    EXPECT_EQ(bed.judge(attack), fate);
    EXPECT_EQ(attack, before);
    EXPECT_EQ(bed.judge(normal), next_hook());
    auto const counted = bed.table().counted(0);
    EXPECT_EQ(counted.judged, 2U);
    EXPECT_EQ(counted.anomalous, 1U);
  }
}

TEST(detect_stage, a_score_on_the_threshold_is_none_above_it) {
  auto attack = tcp_with(syn);
  EXPECT_EQ((stage_bed{{is_syn}, detect_action::drop, 100}.judge(attack)), next_hook());
  EXPECT_NE((stage_bed{{is_syn}, detect_action::drop, 99}.judge(attack)), next_hook());
}

TEST(detect_stage, mark_writes_the_dscp_and_the_checksum_and_nothing_else) {
  for (bool const is_tagged : {false, true}) {
    auto frame = tcp_with(syn);
    std::size_t ip = 14;
    if (is_tagged) {
      bytes const tag{std::byte{0x81}, std::byte{0}, std::byte{0}, std::byte{5}};
      frame.insert(frame.begin() + 12, tag.begin(), tag.end());
      ip += 4;
    }
    frame[ip + 1] = std::byte{0x02};  // ECN: ECT(0)
    auto before = frame;
    stage_bed bed{{is_syn}, detect_action::mark};
    EXPECT_EQ(bed.judge(frame), next_hook());
    EXPECT_EQ(frame[ip + 1], std::byte{8 << 2 | 2});
    auto const sum = wire::load_be<std::uint16_t>(&before[ip + 10]);
    auto const wanted = wire::checksum_update{}.replace16(0x4502, 0x4522).apply(sum);
    EXPECT_EQ(wire::load_be<std::uint16_t>(&frame[ip + 10]), wanted);
    before[ip + 1] = frame[ip + 1];
    std::copy_n(&frame[ip + 10], 2, &before[ip + 10]);
    EXPECT_EQ(frame, before);
  }
}

TEST(detect_stage, mark_writes_the_dscp_of_ipv6) {
  auto frame = packet_builder{}.eth().ipv6().udp(50'000, 53).build();
  auto const before = frame;
  stage_bed bed{{{.at = place::udp, .number = 0}}, detect_action::mark};
  EXPECT_EQ(bed.judge(frame), next_hook());
  EXPECT_EQ(wire::load_be<std::uint16_t>(&frame[14]) & 0xf03f, wire::load_be<std::uint16_t>(&before[14]) & 0xf03f);
  EXPECT_EQ(wire::load_be<std::uint16_t>(&frame[14]) >> 6 & 0x3f, 8);
}

TEST(detect_stage, answer_sends_anomalous_packets_back_and_answer_all_each_packet) {
  auto const attack = tcp_with(syn);
  auto const normal = tcp_with(ack);
  auto const dscp_of = [](bytes const& frame) { return std::to_integer<unsigned>(frame[15]) >> 2; };
  auto const back = verdict::forward(egress_index{0});
  for (auto const action : {detect_action::answer, detect_action::answer_all}) {
    stage_bed bed{{is_syn}, action};
    auto frame = attack;
    EXPECT_EQ(bed.judge(frame), back);
    EXPECT_EQ(dscp_of(frame), 7U);
    EXPECT_EQ(bed.judge(frame), verdict::drop(function_drop(detect::first_unanswerable + 3)))
        << "an answer is not answered";
    frame = normal;
    bool const is_answered = action == detect_action::answer_all;
    EXPECT_EQ(bed.judge(frame), is_answered ? back : next_hook());
    EXPECT_EQ(dscp_of(frame), is_answered ? 3U : 0U);
    EXPECT_EQ(frame == normal, !is_answered);
  }
}

TEST(detect_stage, an_answer_has_the_first_models_score_less_its_threshold) {
  question const is_udp{.at = place::udp, .number = 0};
  for (auto const& models : {std::vector{is_udp}, std::vector{is_udp, is_syn, is_syn}}) {
    auto frame = packet_builder{}.eth().ipv4().udp(50'000, 53).payload(24).build();
    stage_bed bed{models, detect_action::answer, 37};
    EXPECT_EQ(bed.judge(frame), verdict::forward(egress_index{0}));
    EXPECT_EQ(wire::load_be<std::uint32_t>(&frame[46]), 63U);
  }
}

TEST(detect_stage, what_cannot_be_answered_is_dropped_by_name_and_arp_goes_on) {
  stage_bed bed{{is_syn}, detect_action::answer_all};
  auto const fate = [&](bytes frame) { return bed.judge(frame); };
  auto const drop = [](std::string_view name) {
    auto const at = std::find(detect::drop_names.begin(), detect::drop_names.end(), name);
    return verdict::drop(function_drop(static_cast<std::uint16_t>(at - detect::drop_names.begin())));
  };
  auto piece = packet_builder{}.eth().ipv4().udp(1, 2).payload(40).build();
  piece[20] = std::byte{0x20};
  EXPECT_EQ(fate(piece), drop("unanswerable_fragment"));
  auto cut = tcp_with(ack);
  cut.resize(40);
  EXPECT_EQ(fate(cut), drop("unanswerable_header"));
  EXPECT_EQ(fate(packet_builder{}.eth().ipv4("10.0.0.1", "224.0.0.5").udp(1, 2).build()), drop("unanswerable_address"));
  EXPECT_EQ(fate(packet_builder{}.eth().arp_request("10.0.0.1", "10.0.0.2").build()), next_hook());
}

TEST(detect_stage, the_first_model_decides_and_the_others_are_counted) {
  auto attack = tcp_with(syn);
  question const is_udp{.at = place::udp, .number = 0};
  stage_bed bed{{is_udp, is_syn, is_syn}, detect_action::drop};
  EXPECT_EQ(bed.judge(attack), next_hook());
  EXPECT_EQ(bed.table().counted(0).anomalous, 0U);
  for (std::size_t n = 0; n < 3; ++n) EXPECT_EQ(bed.table().counted(n).judged, 1U);
  for (std::size_t n = 1; n < 3; ++n) EXPECT_EQ(bed.table().counted(n).anomalous, 1U);
  stage_bed other{{is_syn, is_udp}, detect_action::drop};
  EXPECT_NE(other.judge(attack), next_hook());
}

TEST(detect_stage, of_several_scores_the_largest_but_the_first_is_compared_with_the_first) {
  auto attack = tcp_with(syn);
  auto const fate = [&](std::vector<std::int32_t> scores) {
    stage_bed bed{{{.at = place::syn, .number = 0, .above = std::move(scores)}}, detect_action::drop, 0};
    return bed.judge(attack);
  };
  EXPECT_NE(fate({10, 11}), next_hook());
  EXPECT_EQ(fate({11, 11}), next_hook());
  EXPECT_NE(fate({10, 0, 11}), next_hook());
  EXPECT_EQ(fate({12, 0, 11}), next_hook());
  EXPECT_NE(fate({-2'000'000'000, 2'000'000'000}), next_hook()) << "the difference has more than 32 bits";
}

TEST(detect_stage, other_models_judge_from_their_publication_on_and_state_stays) {
  auto frame = tcp_with(ack);
  question const has_been_there{.at = place::flow_packets, .number = 0};
  stage_bed bed{{is_syn}, detect_action::drop};
  EXPECT_EQ(bed.judge(frame, 1), next_hook());
  bed.table().prepare(bed.input_of({has_been_there}, detect_action::drop));
  EXPECT_EQ(bed.judge(frame, 2), next_hook()) << "the old model knows no reason";
  bed.table().publish();
  EXPECT_NE(bed.judge(frame, 3), next_hook()) << "the flow was there in epoch 1";
  EXPECT_EQ(bed.table().counted(0).judged, 3U);
}

TEST(detect_stage, punts_no_more_in_a_window_than_the_limit) {
  stage_bed bed{{is_syn}, detect_action::punt};
  auto const limited = verdict::drop(function_drop(detect::anomalous_limited));
  for (auto const epoch : {std::uint64_t{1}, std::uint64_t{2000}}) {
    for (auto const fate : {verdict::punt(), verdict::punt(), limited, limited}) {
      auto attack = tcp_with(syn);
      EXPECT_EQ(bed.judge(attack, epoch), fate) << "epoch " << epoch;
    }
  }
}

TEST(detect_stage, asks_for_copies_of_anomalous_packets_up_to_the_limit_of_a_window) {
  stage_bed bed{{is_syn}, detect_action::mirror};
  for (auto const epoch : {std::uint64_t{1}, std::uint64_t{2000}}) {
    for (bool const is_copied : {true, true, false, false}) {
      auto attack = tcp_with(syn);
      auto const before = attack;
      EXPECT_EQ(bed.judge(attack, epoch), next_hook());
      EXPECT_EQ(bed.has_copied(), is_copied) << "epoch " << epoch;
      EXPECT_EQ(attack, before);
      auto normal = tcp_with(ack);
      EXPECT_EQ(bed.judge(normal, epoch), next_hook());
      EXPECT_FALSE(bed.has_copied());
    }
  }
  EXPECT_EQ(bed.table().counted(uncopied_detect_counter).judged, 4U);
  stage_bed counting{{is_syn}, detect_action::count};
  auto attack = tcp_with(syn);
  EXPECT_EQ(counting.judge(attack), next_hook());
  EXPECT_FALSE(counting.has_copied());
}

TEST(detect_stage, records_a_flow_once_per_window_with_its_endpoints_score_and_packets) {
  stage_bed bed{{{.at = place::syn, .number = 0, .above = {77}}}, detect_action::count};
  auto attack = tcp_with(syn);
  auto normal = tcp_with(ack);
  for (int n = 0; n < 5; ++n) EXPECT_EQ(bed.judge(attack, 1), next_hook());
  EXPECT_EQ(bed.judge(normal, 1), next_hook());
  auto const facts = feature::facts_of(attack.data(), static_cast<std::uint32_t>(attack.size()),
                                       static_cast<std::uint32_t>(attack.size()));
  auto const first = bed.recorded();
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].source, facts.source);
  EXPECT_EQ(first[0].destination, facts.destination);
  EXPECT_EQ(first[0].source_port, 50'000);
  EXPECT_EQ(first[0].destination_port, 80);
  EXPECT_EQ(first[0].ip_version, 4);
  EXPECT_EQ(first[0].protocol, 6);
  EXPECT_EQ(first[0].has_ports, 1);
  EXPECT_EQ(first[0].score, 77);
  EXPECT_EQ(first[0].packets, 1U);
  EXPECT_EQ(first[0].set, bed.table().set_in_force());
  EXPECT_EQ(bed.judge(attack, 1100), next_hook());
  auto const second = bed.recorded();
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].packets, 5U) << "four since the first record, and this one";
  EXPECT_EQ(second[0].flow, first[0].flow);
}

// As in a router: a connection's directions come in by two ports, which are pipelines of their own.
TEST(detect_stage, pipelines_share_flows_and_hosts) {
  for (auto const at : {place::flow_packets_back, place::source_got_packets, place::destination_packets}) {
    stage_bed bed{{{.at = at, .number = 0}}, detect_action::drop};
    auto asked = packet_builder{}.eth().ipv4("10.0.0.2", "192.0.2.9").udp(4000, 53).build();
    auto told = packet_builder{}.eth().ipv4("192.0.2.9", "10.0.0.2").udp(53, 4000).build();
    EXPECT_EQ(bed.judge(asked, 1, 0), next_hook());
    EXPECT_EQ(bed.judge(told, 1, 1), next_hook());
    EXPECT_NE(bed.judge(asked, 3, 0), next_hook()) << static_cast<int>(at);
    EXPECT_NE(bed.judge(told, 3, 1), next_hook()) << static_cast<int>(at);
    EXPECT_EQ(bed.table().state_counted().flows.inserted, 1U);
    EXPECT_EQ(bed.table().state_counted().hosts.inserted, 2U);
  }
}

TEST(detect_stage, records_the_score_of_the_model_that_decides) {
  stage_bed bed{
      {{.at = place::syn, .number = 0, .above = {10, 90, 60}}, {.at = place::syn, .number = 0, .above = {1'000'000}}},
      detect_action::count};
  auto attack = tcp_with(syn);
  EXPECT_EQ(bed.judge(attack), next_hook());
  auto const seen = bed.recorded();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].score, 80) << "the largest of the others less the first";
}

TEST(detect_stage, records_no_more_flows_in_a_window_than_the_limit_and_counts_the_others) {
  stage_bed bed{{is_syn}, detect_action::count};
  for (std::uint16_t port = 1000; port < 1010; ++port) {
    auto attack = packet_builder{}.eth().ipv4().tcp(port, 80, syn).build();
    EXPECT_EQ(bed.judge(attack, 1), next_hook());
  }
  EXPECT_EQ(bed.recorded().size(), bed.most_records);
  EXPECT_EQ(bed.table().journal().unrecorded().limited, 7U);
  auto late = packet_builder{}.eth().ipv4().tcp(1009, 80, syn).build();
  EXPECT_EQ(bed.judge(late, 1100), next_hook());
  auto const seen = bed.recorded();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].packets, 2U) << "the packet that had no record is told with the next one";
}

TEST(detect_stage, flows_whose_keys_collide_take_a_record_each_and_leave_the_others_to_later_flows) {
  stage_bed bed{{is_syn}, detect_action::count};
  auto flows = flows_with_the_same(14, 2);
  ASSERT_EQ(flows.size(), 2U);
  for (int n = 0; n < 20; ++n) {
    for (auto& one : flows) EXPECT_EQ(bed.judge(one.frame, 1), next_hook());
  }
  auto late = packet_builder{}.eth().ipv4().tcp(1000, 9999, syn).build();
  EXPECT_EQ(bed.judge(late, 1), next_hook());
  EXPECT_EQ(bed.table().journal().unrecorded().limited, 0U);
  auto const seen = bed.recorded();
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen[2].destination_port, 9999);
  for (auto& one : flows) EXPECT_EQ(bed.judge(one.frame, 1100), next_hook());
  for (auto const& one : bed.recorded()) EXPECT_EQ(one.packets, 20U) << "19 since the first record, and this one";
}

TEST(detect_stage, a_flow_without_a_place_is_limited_and_takes_the_oldest_in_the_next_window_with_its_rest_told) {
  stage_bed bed{{is_syn}, detect_action::count};
  auto flows = flows_with_the_same(detect_parts::flow_marks::digits, detect_parts::flow_marks::places + 1);
  ASSERT_EQ(flows.size(), detect_parts::flow_marks::places + 1);
  for (auto& one : flows) {
    for (int n = 0; n < 2; ++n) EXPECT_EQ(bed.judge(one.frame, 1), next_hook());
  }
  EXPECT_EQ(bed.recorded().size(), bed.most_records);
  EXPECT_EQ(bed.table().journal().unrecorded().limited, 5U + 2U)
      << "five flows beyond the limit, and each packet of the one without a place";
  EXPECT_EQ(bed.judge(flows.back().frame, 3000), next_hook());
  auto const seen = bed.recorded();
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].flow, flows.front().flow);
  EXPECT_EQ(seen[0].packets, 1U) << "the second one of the first window";
  EXPECT_EQ(seen[0].set, bed.table().set_in_force() | detect_parts::anomaly::rest);
  EXPECT_EQ(seen[1].flow, flows.back().flow);
  EXPECT_EQ(seen[1].set, bed.table().set_in_force());
}

}  // namespace
}  // namespace packetwarp::test
