// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/question/answer_judge.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "traffic/pcap_file.h"
#include "wire/answer.h"
#include "wire/parse.h"

namespace packetwarp::traffic {
namespace {

using test::packet_builder;

// Four packets that can be answered, two of either class, among others that cannot.
class answer_judge_test : public testing::Test {
 protected:
  static std::shared_ptr<questions const> asked() {
    auto made = std::make_shared<questions>(capture_pace::by_rate);
    auto const eth = [] { return packet_builder{}.eth(); };
    std::vector<test::bytes> const frames{
        eth().ipv4().udp(1, 2).payload(24).build(), eth().arp_request("10.0.0.1", "10.0.0.2").build(),
        eth().ipv4().tcp(3, 4, 2).build(),          eth().ipv4("10.0.0.1", "224.0.0.1").udp(1, 2).payload(4).build(),
        eth().ipv6().udp(5, 6).payload(4).build(),  eth().ipv4().udp(7, 8).payload(3).build()};
    test::pcap_file file;
    for (auto const& frame : frames) file.packet(frame);
    using enum packet_class;
    made->add(file.read(), std::vector{normal, anomalous, anomalous, anomalous, anomalous, normal});
    made->sort();
    return made;
  }

  // Sends a packet at this time.
  test::bytes sent(std::uint64_t index, cycles now) {
    test::bytes frame(source_.length(index));
    source_.write(index, now, frame.data());
    return frame;
  }
  static test::bytes answered(test::bytes frame, std::int32_t excess) {
    wire::make_answer(frame.data(), frame.size(), wire::parse(frame.data(), frame.size()), excess);
    return frame;
  }
  bool receive(test::bytes const& frame, cycles now = 0) {
    bool const ours = judge_.receive(frame, now, latency_);
    judge_.publish();
    return ours;
  }

  question_source source_{asked()};
  answer_judge judge_{source_};
  telemetry::histogram latency_;
};

TEST_F(answer_judge_test, answers_are_counted_by_the_known_and_the_answered_class) {
  EXPECT_TRUE(receive(answered(sent(0, 100), -5), 110));
  EXPECT_TRUE(receive(answered(sent(1, 100), 5), 300));
  EXPECT_TRUE(receive(answered(sent(2, 100), -1), 400));
  EXPECT_TRUE(receive(answered(sent(3, 100), 1), 120));
  auto const answers = judge_.answers();
  EXPECT_EQ(answers[0].called, (std::array<std::uint64_t, 2>{1, 1}));
  EXPECT_EQ(answers[1].called, (std::array<std::uint64_t, 2>{1, 1}));
  EXPECT_EQ(answers[0].latency.min(), 10U);
  EXPECT_EQ(answers[1].latency.min(), 200U);
  EXPECT_EQ(judge_.counts(0).lost(4), 0U);
  EXPECT_EQ(judge_.counts(0).corrupted, 0U);
}

TEST_F(answer_judge_test, each_wrong_byte_makes_an_answer_corrupted_or_unknown) {
  for (std::uint64_t index = 0; index < 4; ++index) {
    auto const good = answered(sent(index, 0), 1);
    for (std::size_t at = 0; at < good.size(); ++at) {
      auto bad = good;
      bad[at] ^= std::byte{0x10};
      answer_judge judge{source_};
      (void)judge.receive(bad, 0, latency_);
      judge.publish();
      EXPECT_EQ(judge.answers()[0].called[0] + judge.answers()[0].called[1] + judge.answers()[1].called[0] +
                    judge.answers()[1].called[1],
                0U)
          << "packet " << index << ", byte " << at;
    }
  }
}

TEST_F(answer_judge_test, an_answer_that_comes_twice_is_a_duplicate) {
  auto const answer = answered(sent(0, 0), 1);
  EXPECT_TRUE(receive(answer));
  EXPECT_TRUE(receive(answer));
  EXPECT_EQ(judge_.counts(0).duplicates, 1U);
  EXPECT_EQ(judge_.answers()[0].called[1], 1U);
  EXPECT_EQ(judge_.counts(0).lost(1), 0U);
}

TEST_F(answer_judge_test, packets_that_answer_nothing_are_unknown) {
  auto const asked_now = sent(0, 0);
  EXPECT_FALSE(receive(asked_now)) << "it came back as it was sent";
  EXPECT_FALSE(receive(packet_builder{}.eth().arp_request("10.0.0.1", "10.0.0.2").build()));
  test::bytes not_sent(source_.length(3));
  source_.write_bytes(3, not_sent.data());
  EXPECT_FALSE(receive(answered(not_sent, 1)));
  EXPECT_EQ(judge_.unknown(), 2U) << "ARP is not counted";
  EXPECT_EQ(judge_.counts(0).received, 0U);
}

TEST_F(answer_judge_test, zeroes_that_a_nic_pads_a_short_frame_with_are_no_flaw) {
  auto answer = answered(sent(3, 0), 1);
  ASSERT_LT(answer.size(), 60U);
  answer.resize(60);
  EXPECT_TRUE(receive(answer));
  EXPECT_EQ(judge_.answers()[0].called[1], 1U);
  auto other = answered(sent(7, 0), 1);
  other.resize(60);
  other.back() = std::byte{1};
  EXPECT_TRUE(receive(other));
  EXPECT_EQ(judge_.counts(0).corrupted, 1U);
}

TEST_F(answer_judge_test, questions_leave_out_what_is_never_answered_and_are_sent_round_and_round) {
  auto const& all = source_.asked();
  EXPECT_EQ(all.count(), 4U);
  EXPECT_EQ(all.left_out(), 2U);
  EXPECT_EQ(all.sent_of(packet_class::normal, 0), 0U);
  EXPECT_EQ(all.sent_of(packet_class::normal, 4), 2U);
  EXPECT_EQ(all.sent_of(packet_class::anomalous, 4 * 10 + 2), 21U);
  EXPECT_EQ(sent(5, 0).size(), sent(1, 0).size());
  EXPECT_NE(sent(5, 0), sent(1, 0)) << "their numbers are not the same";
}

}  // namespace
}  // namespace packetwarp::traffic
