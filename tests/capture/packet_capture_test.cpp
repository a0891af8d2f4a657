// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "capture/packet_capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "fixtures/mbufs.h"
#include "fixtures/packet_builder.h"

namespace packetwarp {
namespace {

using testing::ElementsAre;

class packet_capture_test : public testing::Test {
 protected:
  packet_capture_test() { names_[17] = "no_route"; }
  ~packet_capture_test() override {
    for (auto* packet : packets_) rte_pktmbuf_free(packet);
  }
  [[nodiscard]] static capture_selection of(std::initializer_list<capture_stage> stages) {
    capture_selection wanted;
    for (auto const stage : stages) wanted.stages[static_cast<std::size_t>(stage)] = true;
    return wanted;
  }
  [[nodiscard]] packet_capture& begin(capture_selection const& wanted) {
    capture_ = std::make_unique<packet_capture>(wanted, names_, 2);
    capture_->copies().fault_in();
    return *capture_;
  }
  // The copies, as "stage port why length captured".
  [[nodiscard]] std::vector<std::string> taken() {
    std::vector<std::string> said;
    (void)capture_->copies().take(100, [&](captured_packet const& about, auto const&) {
      said.push_back(std::string{to_string(about.where.stage)} + ' ' + std::to_string(about.where.port) + ' ' +
                     std::string{about.where.why} + ' ' + std::to_string(about.length) + ' ' +
                     std::to_string(about.captured));
    });
    return said;
  }

  packet_pool pool_{test::small_pool("packet_capture", 127, 2048)};
  std::vector<rte_mbuf*> packets_{
      test::make_packet(pool_, test::packet_builder{}.eth().ipv4().udp(1, 53).payload(100).build()),
      test::make_packet(pool_, test::packet_builder{}.eth().ipv4().tcp(1, 53).payload(200).build())};
  drop_reason_names names_{};
  std::unique_ptr<packet_capture> capture_;
};

TEST_F(packet_capture_test, takes_the_stages_that_are_wanted) {
  auto& capture = begin(of({capture_stage::rx, capture_stage::dropped}));
  capture.take({capture_stage::tx, 0, {}}, packets_);
  EXPECT_THAT(taken(), ElementsAre());
  capture.take({capture_stage::rx, 1, {}}, packets_);
  capture.take_dropped(0, static_cast<drop_reason>(17), std::span{packets_}.first(1));
  EXPECT_THAT(taken(), ElementsAre("rx 1  142 142", "rx 1  254 254", "dropped 0 no_route 142 142"));
}

TEST_F(packet_capture_test, takes_one_port_s_and_one_reason_s) {
  auto wanted = of({capture_stage::dropped, capture_stage::punted});
  wanted.port = 1;
  wanted.reason = "arp";
  auto& capture = begin(wanted);
  capture.take({capture_stage::punted, 0, "arp"}, packets_);
  capture.take({capture_stage::punted, 1, "fragment"}, packets_);
  capture.take_dropped(1, static_cast<drop_reason>(17), packets_);
  EXPECT_THAT(taken(), ElementsAre());
  capture.take({capture_stage::punted, 1, "arp"}, std::span{packets_}.first(1));
  EXPECT_THAT(taken(), ElementsAre("punted 1 arp 142 142"));
}

TEST_F(packet_capture_test, takes_what_the_filter_wants_as_long_as_is_wanted_and_counts) {
  auto wanted = of({capture_stage::rx});
  wanted.filter = compile_filter("tcp");
  wanted.snap = 64;
  auto& capture = begin(wanted);
  capture.take({capture_stage::rx, 1, {}}, packets_);
  EXPECT_THAT(taken(), ElementsAre("rx 1  254 64"));
  auto const counts = capture.counts(1);
  EXPECT_EQ(counts.seen, 2u);
  EXPECT_EQ(counts.accepted, 1u);
  EXPECT_EQ(counts.missed, 0u);
  EXPECT_EQ(capture.counts(0).seen, 0u);
}

TEST_F(packet_capture_test, counts_what_has_no_room_and_goes_on) {
  auto wanted = of({capture_stage::rx});
  wanted.buffer = 1;  // the least there is
  auto& capture = begin(wanted);
  std::size_t given = 0;
  for (; given < 100000 && capture.counts(0).missed == 0; given += packets_.size())
    capture.take({capture_stage::rx, 0, {}}, packets_);
  auto const counts = capture.counts(0);
  EXPECT_EQ(counts.accepted, given);
  EXPECT_GT(counts.missed, 0u);
  std::size_t found = 0;
  for (auto some = taken(); !some.empty(); some = taken()) found += some.size();
  EXPECT_EQ(found, counts.accepted - counts.missed);
}

TEST_F(packet_capture_test, keeps_the_first_segment_where_the_rest_cannot_be_read) {
  packet_pool const small{test::small_pool("small_segments", 15, 128)};
  auto* packet = test::make_packet(small, test::bytes(300, std::byte{1}));
  auto wanted = of({capture_stage::tx});
  wanted.reach = capture_reach::first_segment;
  begin(wanted).take({capture_stage::tx, 0, {}}, {&packet, 1});
  EXPECT_THAT(taken(), ElementsAre("tx 0  300 128"));
  rte_pktmbuf_free(packet);
}

TEST(capture_tap, sees_what_is_on) {
  capture_point point;
  EXPECT_EQ(capture_tap{}.active(), nullptr) << "leads nowhere";
  capture_tap const tap{point};
  EXPECT_EQ(tap.active(), nullptr);
  packet_capture capture{{}, {}, 1};
  point.active = &capture;
  EXPECT_EQ(tap.active(), &capture);
}

}  // namespace
}  // namespace packetwarp
