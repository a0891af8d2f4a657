// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// A responder's answers to single packets, which the test makes.
#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "rdma/roce/inbox.h"
#include "two_ends.h"

namespace packetwarp::rdma::roce {
namespace {

using test::two_ends;
constexpr std::uint32_t first = 0xff'fff0;

class lone_responder : public testing::Test {
 protected:
  // A packet of the peer, so many after the first one.
  void send(std::uint32_t after, std::uint8_t asks = 0, std::uint8_t code = 0x0a) {
    send_part(after, asks, code, 4, 4);
  }
  // A packet of a message of `length` bytes.
  void send_part(std::uint32_t after, std::uint8_t asks, std::uint8_t code, std::uint32_t bytes, std::uint32_t length) {
    packet_fields const fields{.code = static_cast<opcode>(code),
                               .queue_number = two_ends::first_target,
                               .asks_acknowledgement = asks,
                               .psn = (first + after) & psn_mask,
                               .address = ends_.remote.address,
                               .rkey = ends_.remote.key,
                               .length = length};
    std::vector<std::byte> const payload(bytes, std::byte{1});
    std::vector<std::byte> frame(frame_bytes(fields.code, bytes));
    write_frame(frame.data(), {.source = {0x0a00'0001}, .destination = {0x0a00'0002}}, fields, payload.data(), bytes);
    ends_.responder->take(frame, ends_.now);
  }
  // The answer that it sends now.
  [[nodiscard]] std::optional<packet_fields> answer() {
    std::vector<std::byte> room(ends_.responder->most_frame_bytes());
    auto const made = ends_.responder->make_frame(room, ends_.now);
    if (made == 0) return {};
    return read_frame(room.data(), made).fields;
  }
  void expect_answer(std::uint8_t syndrome, std::uint32_t after) {
    auto const said = answer();
    ASSERT_TRUE(said);
    EXPECT_EQ(said->syndrome, syndrome);
    EXPECT_EQ(said->psn, (first + after) & psn_mask);
  }
  void expect_silence() { EXPECT_FALSE(answer()); }

  two_ends ends_{{.first_psn = first}};
};

TEST_F(lone_responder, acknowledges_the_earlier_one_of_two_packets_that_came_in_the_wrong_order) {
  send(1, 1);
  send(0, 1);
  expect_answer(nak_sequence, 1);  // which acknowledges packet 0
  expect_silence();
  send(2, 1);
  expect_silence();  // the gap has been told of
  send(1);
  send(2, 1);
  expect_answer(acknowledged, 2);
  EXPECT_EQ(ends_.responder->counters().received.packets, 3U);
  EXPECT_EQ(ends_.responder->counters().answers.sequence_naks, 1U);
}

TEST_F(lone_responder, acknowledges_packets_that_have_come_again_after_a_wrong_order) {
  send(1);
  send(0, 1);
  send(1, 1);
  expect_answer(acknowledged, 1);
  expect_silence();
}

TEST_F(lone_responder, names_the_first_packet_that_is_missing_in_a_wider_gap) {
  send(3);
  send(0, 1);
  send(1, 1);
  expect_answer(nak_sequence, 2);
}

TEST_F(lone_responder, still_tells_of_a_gap_after_a_duplicate) {
  send(0, 1);
  expect_answer(acknowledged, 0);
  send(2);
  send(0, 1);
  expect_answer(nak_sequence, 1);
}

TEST(later_answer, has_a_gap_that_is_packed_beside_the_rest) {
  responder_verdict verdict;
  verdict.answer = answer_kind::negative;
  verdict.syndrome = nak_sequence;
  verdict.gap = most_gap;
  verdict.psn = psn_mask;
  verdict.message_number = psn_mask;
  auto const same = unpacked_verdict(packed_verdict(verdict));
  EXPECT_EQ(same.answer, verdict.answer);
  EXPECT_EQ(same.syndrome, verdict.syndrome);
  EXPECT_EQ(same.gap, verdict.gap);
  EXPECT_EQ(same.psn, verdict.psn);
  EXPECT_EQ(same.message_number, verdict.message_number);
  verdict.gap = 0;
  EXPECT_EQ(unpacked_verdict(packed_verdict(verdict)).gap, 0U);
}

// SEND, READ, atomics and immediate data; with a message's middle expected, too.
class refused_requests : public lone_responder, public testing::WithParamInterface<int> {};

TEST_P(refused_requests, get_a_nak_and_end_the_connection) {
  send(0, 1);
  expect_answer(acknowledged, 0);
  auto const written = ends_.target;
  send(1, 0, static_cast<std::uint8_t>(GetParam()));
  expect_answer(nak_invalid_request, 1);
  send(1, 1);
  expect_answer(nak_invalid_request, 1);  // the first one may have been lost
  EXPECT_EQ(ends_.target, written);
  EXPECT_EQ(ends_.responder->counters().received.invalid_requests, 1U);
  EXPECT_EQ(ends_.responder->counters().malformed, 0U);
}

TEST_P(refused_requests, are_no_middle_of_a_write) {
  send_part(0, 0, 0x06, 1024, 4096);
  expect_silence();
  auto const written = ends_.target;
  send_part(1, 1, static_cast<std::uint8_t>(GetParam()), 1024, 4096);
  expect_answer(nak_invalid_request, 1);
  EXPECT_EQ(ends_.target, written);
}
INSTANTIATE_TEST_SUITE_P(operations, refused_requests,
                         testing::Values(0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x09, 0x0b, 0x0c, 0x13, 0x14, 0x16, 0x17));

TEST_F(lone_responder, says_nothing_to_packets_of_other_services_and_to_answers_of_requests_that_were_none) {
  for (int const code : {0x2a, 0x64, 0x0d, 0x10, 0x12, 0x15, 0x18, 0xff}) send(0, 1, static_cast<std::uint8_t>(code));
  expect_silence();
  EXPECT_EQ(ends_.responder->counters().malformed, 6U);
  EXPECT_EQ(ends_.responder->counters().of_another_type, 2U);
}

}  // namespace
}  // namespace packetwarp::rdma::roce
