// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <tuple>

#include "base/error.h"
#include "two_ends.h"

namespace packetwarp::rdma::roce {
namespace {

using test::ends_settings;
using test::two_ends;

constexpr test::faults every_fault{.lost = 10, .doubled = 10, .delayed = 10, .corrupted = 10};

// Writes of random places and lengths on all queues, `count` in all; the last of each queue is awaited.
void write_at_random(two_ends& ends, ends_settings const& settings, int count, std::uint32_t longest) {
  std::mt19937_64 random{settings.seed + 9};
  for (int n = 0; n < count;) {
    auto const queue = static_cast<std::uint32_t>(random() % settings.queues);
    auto const bytes = static_cast<std::uint32_t>(random() % (longest + 1));
    auto const from = static_cast<std::uint32_t>(random() % (settings.area - bytes + 1));
    auto const to = static_cast<std::uint32_t>(random() % (settings.area - bytes + 1));
    if (ends.write(queue, from, to, bytes).count == 1) {
      ++n;
    } else {
      ASSERT_TRUE(ends.settle()) << n;
      for (std::uint32_t i = 0; i < settings.queues; ++i) ASSERT_EQ(ends.status(i), work_status::done);
    }
  }
  ASSERT_TRUE(ends.settle());
}

using test::requesters;

class connections : public testing::TestWithParam<requesters> {};
auto const all_requesters =
    testing::Values(requesters::of_engine, requesters::of_lanes, requesters::of_lanes_in_two_pieces);
INSTANTIATE_TEST_SUITE_P(requesters, connections, all_requesters, [](auto const& one) { return to_string(one.param); });

class connections_of_mtu : public testing::TestWithParam<std::tuple<std::uint32_t, requesters>> {};

TEST_P(connections_of_mtu, writes_arrive_through_every_fault_and_nothing_else_is_written) {
  auto const [mtu, by] = GetParam();
  ends_settings settings{.by = by, .queues = 4, .wire = every_fault, .seed = mtu};
  settings.how.mtu = mtu;
  two_ends ends{settings};
  write_at_random(ends, settings, 1000, 9000);
  for (std::uint32_t n = 0; n < settings.queues; ++n) EXPECT_EQ(ends.status(n), work_status::done);
  EXPECT_EQ(ends.target, ends.model);
  auto const sent = ends.initiated();
  auto const received = ends.responder->counters();
  EXPECT_EQ(sent.queues.writes, 1000U);
  EXPECT_EQ(received.received.messages, 1000U) << "each is executed once";
  EXPECT_EQ(sent.sent.packets - sent.sent.sent_again, received.received.packets);
  // Each fault has been met.
  EXPECT_GT(received.bad_icrc, 0U);
  EXPECT_GT(received.received.duplicates, 0U);
  EXPECT_GT(received.received.out_of_sequence, 0U);
  EXPECT_GT(sent.sent.sequence_naks, 0U);
  EXPECT_EQ(received.received.access_errors + received.received.invalid_requests, 0U);
}
INSTANTIATE_TEST_SUITE_P(connection, connections_of_mtu,
                         testing::Combine(testing::Values(256U, 512U, 1024U, 2048U, 4096U), all_requesters));

TEST_P(connections, many_queues_share_a_wire_with_faults) {
  ends_settings settings{.by = GetParam(), .queues = 64, .entries = 16, .area = 4096, .wire = every_fault};
  two_ends ends{settings};
  write_at_random(ends, settings, 4000, 300);
  EXPECT_EQ(ends.target, ends.model);
  EXPECT_EQ(ends.responder->counters().received.messages, 4000U);
}

TEST_P(connections, indices_of_16_bits_and_sequence_numbers_wrap) {
  ends_settings settings{.by = GetParam(), .entries = 1024, .area = 4096, .first_psn = 0xff'8000};
  settings.how.window = 512;
  two_ends ends{settings};
  write_at_random(ends, settings, 70'000, 8);
  EXPECT_EQ(ends.status(0), work_status::done);
  EXPECT_EQ(ends.target, ends.model);
  EXPECT_EQ(ends.responder->counters().received.messages, 70'000U);
  EXPECT_EQ(ends.initiated().sent.sent_again, 0U);
}

TEST_P(connections, acknowledgements_are_coalesced) {
  ends_settings const settings{.by = GetParam()};
  two_ends ends{settings};
  auto const slots = ends.queue(0).reserve(single_thread{}, 64);
  for (std::uint32_t i = 0; i < 64; ++i) ends.queue(0).post_write(slots, i, ends.local, ends.remote, 8);
  ends.queue(0).commit(single_thread{}, slots);
  ASSERT_TRUE(ends.settle());
  EXPECT_EQ(ends.responder->counters().received.packets, 64U);
  EXPECT_LE(ends.responder->counters().answers.acknowledgements, 64U / settings.how.ask_every);
}

TEST_P(connections, a_signal_and_inline_bytes_arrive) {
  two_ends ends{{.by = GetParam()}};
  std::array<std::uint8_t, 28> const data{1, 2, 3, 4, 5, 6, 7};
  auto const slots = ends.queue(0).reserve(single_thread{}, 2);
  ends.queue(0).post_write_inline(slots, 0, ends.remote + 64, data.data(), 28);
  ends.queue(0).post_signal(slots, 1, ends.remote, 0x1122'3344'5566'7788);
  ends.queue(0).commit(single_thread{}, slots);
  ASSERT_TRUE(ends.settle());
  std::uint64_t value = 0;
  std::memcpy(&value, ends.target.data() + two_ends::guard, sizeof value);
  EXPECT_EQ(value, 0x1122'3344'5566'7788U);
  EXPECT_EQ(std::memcmp(ends.target.data() + two_ends::guard + 64, data.data(), 28), 0);
}

// Queue 1 of two gets a write that `spoil` posts, between good ones; queue 0 must go on.
template <class Spoil>
void expect_error_of_one(ends_settings settings, work_status status, Spoil const& spoil) {
  settings.queues = 2;
  two_ends ends{settings};
  ends.write(1, 0, 0, 3000);
  auto const slots = ends.queue(1).reserve(single_thread{}, 1);
  spoil(ends, slots);
  ends.queue(1).commit(single_thread{}, slots);
  auto const late = ends.queue(1).reserve(single_thread{}, 1);
  ends.queue(1).post_write(late, 0, ends.local, ends.area(1) + 8000, 100);
  ends.queue(1).commit(single_thread{}, late);
  for (int n = 0; n < 40; ++n) ends.write(0, 0, 0, 3000);
  ASSERT_TRUE(ends.settle());
  EXPECT_EQ(ends.status(0), work_status::done);
  EXPECT_EQ(ends.status(1), status);
  EXPECT_EQ(ends.target, ends.model) << "the writes before the wrong one, and nothing after it";
  EXPECT_EQ(ends.initiated().queues.flushed, 1U);
  ends.write(0, 0, 100, 1000);
  ASSERT_TRUE(ends.settle());
  EXPECT_EQ(ends.target, ends.model);
}

TEST_P(connections, a_wrong_rkey_is_a_remote_access_error) {
  expect_error_of_one({.by = GetParam()}, work_status::remote_access_error,
                      [](two_ends& ends, reservation const& slots) {
                        auto place = ends.area(1);
                        place.key ^= 1;
                        ends.queue(1).post_write(slots, 0, ends.local, place, 4000);
                      });
}
TEST_P(connections, a_wrong_rkey_is_a_remote_access_error_through_every_fault) {
  expect_error_of_one({.by = GetParam(), .wire = every_fault}, work_status::remote_access_error,
                      [](two_ends& ends, reservation const& slots) {
                        auto place = ends.area(1);
                        place.key ^= 1;
                        ends.queue(1).post_write(slots, 0, ends.local, place, 4000);
                      });
}
TEST_P(connections, a_write_beyond_the_region_is_a_remote_access_error) {
  expect_error_of_one(
      {.by = GetParam()}, work_status::remote_access_error, [](two_ends& ends, reservation const& slots) {
        ends.queue(1).post_write(slots, 0, ends.local, ends.area(2) + static_cast<std::uint64_t>(-99), 100);
      });
}
TEST_P(connections, a_wrong_lkey_is_a_local_protection_error_after_earlier_writes) {
  expect_error_of_one({.by = GetParam()}, work_status::local_protection_error,
                      [](two_ends& ends, reservation const& slots) {
                        auto place = ends.local;
                        place.key ^= 1;
                        ends.queue(1).post_write(slots, 0, place, ends.area(1), 100);
                      });
}

// A single reservation, of which the last write alone wants a completion. The first one's packet is the last that may
// be sent: without an acknowledgement the error would wait for a time-out.
TEST_P(connections, a_local_error_behind_a_write_that_is_not_awaited_is_told_without_a_time_out) {
  ends_settings settings{.by = GetParam()};
  settings.how.retries = 0;
  two_ends ends{settings};
  auto const slots = ends.queue(0).reserve(single_thread{}, 3);
  auto wrong = ends.local;
  wrong.key ^= 1;
  ends.queue(0).post_write(slots, 0, ends.local, ends.remote, 100);
  ends.queue(0).post_write(slots, 1, wrong, ends.remote + 100, 100);
  ends.queue(0).post_write(slots, 2, ends.local, ends.remote + 200, 100);
  ends.queue(0).commit(single_thread{}, slots);
  ASSERT_TRUE(ends.settle());
  EXPECT_EQ(ends.status(0), work_status::local_protection_error);
  EXPECT_EQ(ends.initiated().sent.timeouts, 0U);
  std::copy_n(ends.source.begin(), 100, ends.model.begin() + two_ends::guard);
  EXPECT_EQ(ends.target, ends.model);
}

TEST_P(connections, completions_that_nobody_reads_are_an_overrun_and_the_queue_executes_nothing_more) {
  constexpr std::uint32_t entries = 16;
  two_ends ends{{.by = GetParam(), .entries = entries}};
  for (std::uint32_t n = 0; n < entries + 5; ++n) {
    reservation const slots{n, 1};
    ends.queue(0).post_write(slots, 0, ends.local, ends.remote, 8);
    ends.queue(0).commit(single_thread{}, slots);
    ASSERT_TRUE(ends.settle());
  }
  auto const sent = ends.initiated();
  EXPECT_EQ(sent.queues.completions, entries);
  EXPECT_EQ(sent.queues.completion_overruns, 1U);
  EXPECT_EQ(ends.responder->counters().received.messages, entries + 1U) << "the last has no completion";
}

TEST_P(connections, packets_of_another_mtu_are_an_invalid_request) {
  two_ends ends{{.by = GetParam()}};
  // A responder with half of the requester's MTU.
  ends.responder.emplace(region_table{}.ref());
  connection_settings half{.local_number = two_ends::first_target,
                           .remote_number = two_ends::first_initiator,
                           .send_psn = 7,
                           .receive_psn = 0xff'fff0,
                           .path = {.source = {0x0a00'0002}, .destination = {0x0a00'0001}}};
  half.how.mtu = 512;
  ends.responder->add(half, {});
  ends.write(0, 0, 0, 3000);
  ASSERT_TRUE(ends.settle());
  EXPECT_EQ(ends.status(0), work_status::remote_invalid_request);
  EXPECT_EQ(ends.responder->counters().received.invalid_requests, 1U);
}

TEST_P(connections, a_peer_that_does_not_answer_ends_in_an_error_within_the_retries_and_other_queues_go_on) {
  ends_settings settings{.by = GetParam(), .queues = 2};
  settings.how.retries = 3;
  two_ends ends{settings};
  ends.forget(1);
  auto const before = ends.model;
  auto const began = ends.now;
  ends.write(1, 0, 0, 100);
  ends.model = before;
  for (int n = 0; n < 50; ++n) ends.write(0, 0, 0, 5000);
  ASSERT_TRUE(ends.settle((3 + 1) * settings.how.timeout_ns + 10'000));
  EXPECT_GE(ends.now - began, (3 + 1) * settings.how.timeout_ns);
  EXPECT_EQ(ends.status(1), work_status::transport_retries_exceeded);
  EXPECT_EQ(ends.status(0), work_status::done);
  EXPECT_EQ(ends.target, ends.model);
  EXPECT_EQ(ends.initiated().sent.timeouts, 4U);
  EXPECT_EQ(ends.responder->counters().of_no_queue, 4U);
}

TEST(connection, another_first_sequence_number_ends_in_an_error_and_writes_nothing) {
  for (auto const off : {1, -1, 1000, -1000}) {
    two_ends ends{{}};
    connection_settings other{.local_number = 5,
                              .remote_number = two_ends::first_initiator,
                              .send_psn = 7,
                              .receive_psn = static_cast<std::uint32_t>(0xff'fff0 + off) & psn_mask,
                              .path = {.source = {0x0a00'0002}, .destination = {0x0a00'0001}}};
    ends.responder->add(other, {});
    queue_pair const pair{{.size = 16, .number = 0x77}};
    ends.initiator->add({.local_number = 0x77,
                         .remote_number = 5,
                         .send_psn = 0xff'fff0,
                         .path = {.source = {0x0a00'0001}, .destination = {0x0a00'0002}},
                         .how = {.retries = 2, .timeout_ns = 50'000}},
                        {.queue = &pair.parts()});
    auto const slots = pair.ref().reserve(single_thread{}, 1);
    pair.ref().post_write(slots, 0, ends.local, ends.remote, 100);
    pair.ref().commit(single_thread{}, slots);
    ASSERT_TRUE(ends.settle());
    (void)pair.ref().poll();
    EXPECT_EQ(pair.ref().status(), work_status::transport_retries_exceeded) << off;
    EXPECT_EQ(ends.target, ends.model) << off;
  }
}

TEST_P(connections, copies_of_a_sequence_nak_are_one_error) {
  two_ends ends{{.by = GetParam()}};
  ends.forget(0);
  ends.write(0, 0, 0, 3000);
  ends.step();
  auto const before = ends.initiated().sent.packets;
  EXPECT_EQ(before, 3U);
  for (int n = 0; n < 20; ++n) ends.answer_first(nak_sequence);  // more than there are retries
  ends.remember();
  ASSERT_TRUE(ends.settle());
  EXPECT_EQ(ends.status(0), work_status::done);
  EXPECT_EQ(ends.target, ends.model);
  auto const sent = ends.initiated().sent;
  EXPECT_EQ(sent.sequence_naks, 1U);
  EXPECT_EQ(sent.stale_answers, 19U);
  EXPECT_EQ(sent.sent_again, 3U);
}

TEST_P(connections, sequence_naks_of_packets_that_were_sent_again_use_the_retries_up) {
  ends_settings settings{.by = GetParam()};
  settings.how.retries = 3;
  two_ends ends{settings};
  ends.forget(0);
  ends.write(0, 0, 0, 3000);
  for (int n = 0; n < 4; ++n) {
    ends.step();
    EXPECT_EQ(ends.initiated().sent.packets, 3U * (static_cast<unsigned>(n) + 1));
    ends.answer_first(nak_sequence);
  }
  ends.step();
  EXPECT_EQ(ends.status(0), work_status::transport_retries_exceeded);
  EXPECT_EQ(ends.initiated().sent.sequence_naks, 4U);
}

// A peer that is not ready: it executes nothing, and answers each round of packets by an RNR NAK.
class not_ready_peer {
 public:
  not_ready_peer(two_ends& ends, std::uint8_t timer) : ends_{ends}, timer_{timer} { ends.forget(0); }
  void step() {
    ends_.step();
    if (ends_.initiated().sent.packets == seen_) return;
    seen_ = ends_.initiated().sent.packets;
    ++answered_;
    ends_.answer_first(static_cast<std::uint8_t>(rnr_nak | timer_));
  }
  [[nodiscard]] unsigned answered() const { return answered_; }

 private:
  two_ends& ends_;
  std::uint8_t timer_;
  std::uint64_t seen_{};
  unsigned answered_{};
};

TEST_P(connections, a_peer_that_is_not_ready_is_asked_again) {
  two_ends ends{{.by = GetParam()}};
  not_ready_peer peer{ends, 5};  // 0.06 ms
  ends.write(0, 0, 0, 3000);
  for (int n = 0; n < 1000; ++n) peer.step();
  EXPECT_FALSE(ends.is_idle());
  EXPECT_GT(peer.answered(), 10U);
  EXPECT_LT(peer.answered(), 20U) << "the requester waits as long as the NAK says";
  ends.remember();
  ASSERT_TRUE(ends.settle());
  EXPECT_EQ(ends.status(0), work_status::done);
  EXPECT_EQ(ends.target, ends.model);
}

TEST_P(connections, a_peer_that_stays_not_ready_ends_in_an_error) {
  ends_settings settings{.by = GetParam()};
  settings.how.rnr_retries = 2;
  two_ends ends{settings};
  not_ready_peer peer{ends, 1};
  ends.write(0, 0, 0, 3000);
  for (int n = 0; n < 1000; ++n) peer.step();
  EXPECT_TRUE(ends.is_idle());
  EXPECT_EQ(ends.status(0), work_status::rnr_retries_exceeded);
  EXPECT_EQ(ends.initiated().sent.rnr_naks, 3U);
}

TEST(connection, frames_of_others_are_dropped_by_name) {
  two_ends ends{{}};
  frame_path const path{.source = {0x0a00'0001}, .destination = {0x0a00'0002}};
  packet_fields const fields{.queue_number = two_ends::first_target,
                             .psn = 0xff'fff0,
                             .address = ends.remote.address,
                             .rkey = ends.remote.key,
                             .length = 4};
  auto const send = [&](frame_path const& from, packet_fields const& with, std::size_t spoil = 0) {
    std::vector<std::byte> frame(frame_bytes(with.code, 4));
    std::array<std::byte, 4> const payload{};
    write_frame(frame.data(), from, with, payload.data(), payload.size());
    if (spoil != 0) frame[spoil] ^= std::byte{1};
    ends.responder->take(frame, ends.now);
  };
  auto other = fields;
  other.queue_number = 1;
  send(path, other);
  EXPECT_EQ(ends.responder->counters().of_no_queue, 1U);
  send({.source = {0x0a00'0009}, .destination = {0x0a00'0002}}, fields);
  EXPECT_EQ(ends.responder->counters().of_no_peer, 1U);
  other = fields;
  other.partition = 0x8001;
  send(path, other);
  EXPECT_EQ(ends.responder->counters().of_no_partition, 1U);
  send(path, fields, transport_at + 30);
  EXPECT_EQ(ends.responder->counters().bad_icrc, 1U);
  send(path, fields, transport_at + 1);  // another version
  EXPECT_EQ(ends.responder->counters().malformed, 1U);
  send(path, fields, 12);  // another protocol
  EXPECT_EQ(ends.responder->counters().other_frames, 1U);
  EXPECT_EQ(ends.target, ends.model);
  send(path, fields);
  EXPECT_EQ(ends.responder->counters().received.messages, 1U);
}

TEST(connection, an_mtu_that_is_not_possible_and_a_number_in_use_are_refused) {
  two_ends ends{{}};
  connection_settings settings{.local_number = 1};
  settings.how.mtu = 1500;
  EXPECT_THROW(ends.initiator->add(settings, {}), usage_error);
  settings.how.mtu = 1024;
  settings.local_number = two_ends::first_initiator;
  EXPECT_THROW(ends.initiator->add(settings, {}), usage_error);
}

}  // namespace
}  // namespace packetwarp::rdma::roce
