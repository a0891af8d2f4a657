// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/generator_job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>

#include "fixtures/mbufs.h"
#include "fixtures/packet_builder.h"
#include "traffic/starting_line.h"
#include "traffic/streams/stream.h"
#include "traffic/verifier_job.h"
#include "traffic/wires.h"

namespace packetwarp::traffic {
namespace {

constexpr tick running(cycles now) { return {.now = now, .phase = run_phase::running}; }

// Packets that were recorded three milliseconds apart.
struct timed_packets {
  [[nodiscard]] static std::uint16_t length(std::uint64_t) { return 60; }
  [[nodiscard]] static std::uint16_t largest_length() { return 60; }
  static void write(std::uint64_t, std::uint64_t, std::byte* frame) { std::fill_n(frame, 60, std::byte{0}); }
  [[nodiscard]] static bool keeps_times() { return true; }
  [[nodiscard]] static std::uint64_t due(std::uint64_t index) { return index * 3'000'000; }
};

// A generator on one end of a wire, and the test on the other. The test sets the time.
class generator_test : public testing::Test {
 protected:
  static constexpr std::uint32_t depth = 64;

  generator& make(sending_limits const& limits, pacer const& pace) {
    made_.emplace("test", sent_, outer_.tx(queue_id{0}), pool_, limits, pace);
    return *made_;
  }
  generator& make(sending_limits const& limits) { return make(limits, {{0, rate::unit::unlimited}, 0, 1e9}); }
  std::vector<test::bytes> take(std::size_t most = 1000) {
    std::vector<test::bytes> frames;
    rte_mbuf* packet = nullptr;
    while (frames.size() < most && inner_.rx(queue_id{0}).receive({&packet, 1}) == 1) {
      frames.push_back(test::bytes_of(*packet));
      rte_pktmbuf_free(packet);
    }
    return frames;
  }
  std::uint64_t index_of(test::bytes const& frame) {
    return read_signature(frame.data() + frame.size() - signature_length, sent_.key()).value().index;
  }

  packet_pool pool_{test::small_pool(test::fresh_name(), 255)};
  ring_wire wire_{test::make_wire(1, depth)};
  port outer_{test::start(wire_.left(), pool_)};
  port inner_{test::start(wire_.right(), pool_)};
  stream sent_{[] {
    stream_config config;
    config.sizes = size_mix::parse("imix");
    config.flows = parse_pattern("udp.sport=1..7");
    return config;
  }()};
  std::optional<generator_job<stream>> made_;
};

TEST_F(generator_test, sends_the_stream_in_order_and_finishes) {
  auto& job = make({.packets = 50, .burst = 8});
  for (cycles now = 1; !job.is_finished(); ++now) job.poll(running(now));
  auto const frames = take();
  ASSERT_EQ(frames.size(), 50U);
  std::uint64_t bytes = 0;
  for (std::uint64_t i = 0; i < frames.size(); ++i) {
    auto const& frame = frames[i];
    auto const seen = read_signature(frame.data() + frame.size() - signature_length, sent_.key());
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->index, i);
    test::bytes expected(sent_.length(i));
    sent_.write(i, seen->ticks, expected.data());
    EXPECT_EQ(test::to_hex(frame), test::to_hex(expected));
    bytes += frame.size();
  }
  EXPECT_EQ(job.counters().packets.read(), 50U);
  EXPECT_EQ(job.counters().bytes.read(), bytes);
  EXPECT_EQ(job.counters().tx_full.read(), 0U);
}

TEST_F(generator_test, sends_nothing_and_finishes_if_its_share_is_nothing) {
  auto& job = make({.packets = 0, .burst = 8});
  for (cycles now = 1; now < 10; ++now) job.poll(running(now));
  EXPECT_TRUE(job.is_finished());
  EXPECT_EQ(job.counters().packets.read(), 0U);
  EXPECT_TRUE(take().empty());
}

TEST_F(generator_test, hands_over_no_more_than_a_burst_at_once) {
  auto& job = make({.burst = 8});
  EXPECT_EQ(job.poll(running(1)), 8U);
  EXPECT_EQ(job.poll(running(2)), 8U);
}

TEST_F(generator_test, keeps_what_a_full_port_does_not_take_and_loses_nothing) {
  auto& job = make({.packets = 200, .burst = 30});
  std::vector<std::uint64_t> received;
  for (cycles now = 1; !job.is_finished(); ++now) {
    job.poll(running(now));
    if (now % 5 != 0) continue;
    for (auto const& frame : take(17)) received.push_back(index_of(frame));
  }
  for (auto const& frame : take()) received.push_back(index_of(frame));
  ASSERT_EQ(received.size(), 200U);
  for (std::uint64_t i = 0; i < received.size(); ++i) EXPECT_EQ(received[i], i);
  EXPECT_GT(job.counters().tx_full.read(), 0U);
}

TEST_F(generator_test, counts_as_sent_what_it_drops_for_a_full_port) {
  auto const before = pool_.available();
  auto& job = make({.packets = 2 * depth + 10, .burst = 30, .full = when_full::drop});
  for (cycles now = 1; !job.is_finished(); ++now) job.poll(running(now));
  EXPECT_EQ(job.counters().packets.read(), 2 * depth + 10);
  EXPECT_GT(job.counters().tx_full.read(), 0U);
  auto const frames = take();
  ASSERT_EQ(frames.size(), depth);
  for (std::uint64_t i = 0; i < frames.size(); ++i) EXPECT_EQ(index_of(frames[i]), i);
  EXPECT_EQ(pool_.available(), before);
}

TEST_F(generator_test, waits_for_a_dry_pool) {
  std::vector<rte_mbuf*> taken(250);
  ASSERT_EQ(rte_pktmbuf_alloc_bulk(&pool_.get(), taken.data(), 250), 0);
  auto& job = make({.packets = 20, .burst = 20});
  EXPECT_EQ(job.poll(running(1)), 0U);
  EXPECT_EQ(job.counters().no_mbuf.read(), 1U);
  EXPECT_FALSE(job.is_finished());
  rte_pktmbuf_free_bulk(taken.data(), 250);
  EXPECT_EQ(job.poll(running(2)), 20U);
  EXPECT_TRUE(job.is_finished());
  EXPECT_EQ(take().size(), 20U);
}

TEST_F(generator_test, sends_at_its_pace) {
  auto& job = make({.burst = 32}, {{1e6, rate::unit::packets_per_second}, 0, 1e9});
  for (cycles now = 1; now <= 10'001; now += 50) job.poll(running(now));
  EXPECT_EQ(job.counters().packets.read(), 11U);
}

TEST_F(generator_test, stops_after_its_duration) {
  auto& job = make({.duration = 1000, .burst = 1});
  for (cycles now = 1; now < 2000 && !job.is_finished(); now += 100) job.poll(running(now));
  EXPECT_TRUE(job.is_finished());
  EXPECT_EQ(take().size(), 10U);
}

TEST_F(generator_test, stops_when_asked) {
  auto& job = make({.packets = 1000, .burst = 4});
  job.poll(running(1));
  job.stop();
  EXPECT_EQ(job.poll(running(2)), 0U);
  EXPECT_TRUE(job.is_finished());
  EXPECT_EQ(take().size(), 4U);
}

TEST_F(generator_test, makes_nothing_once_the_run_drains) {
  auto& job = make({.packets = 1000, .burst = 4});
  EXPECT_EQ(job.poll({.now = 1, .phase = run_phase::draining}), 0U);
  EXPECT_TRUE(job.is_finished());
}

TEST_F(generator_test, gives_up_on_a_port_that_takes_nothing_any_more) {
  auto& job = make({.packets = depth + 10, .burst = depth + 10});
  auto const second = static_cast<cycles>(cycles_per_second());
  EXPECT_EQ(job.poll(running(1)), depth);
  job.poll(running(2));
  EXPECT_FALSE(job.is_finished());
  job.poll(running(2 + 2 * second));
  EXPECT_TRUE(job.is_finished());
  EXPECT_EQ(job.counters().packets.read(), depth);
}

TEST_F(generator_test, gives_every_packet_back) {
  auto const before = pool_.available();
  auto& job = make({.packets = 1000, .burst = depth + 10});
  job.poll(running(1));
  EXPECT_EQ(take().size(), depth);
  EXPECT_EQ(pool_.available(), before - 10);
  made_.reset();
  EXPECT_EQ(pool_.available(), before);
}

TEST_F(generator_test, drops_what_waits_when_the_run_is_abandoned) {
  auto const before = pool_.available();
  auto& job = make({.packets = 1000, .burst = depth + 10});
  job.poll(running(1));
  job.poll({.now = 2, .phase = run_phase::abandoning});
  EXPECT_TRUE(job.is_finished());
  EXPECT_EQ(take().size(), depth);
  EXPECT_EQ(pool_.available(), before);
}

TEST_F(generator_test, sends_nothing_before_each_receiver_was_polled) {
  starting_line line;
  std::deque<verifier_job<counting_judge>> receivers;
  for (int n = 0; n < 2; ++n) receivers.emplace_back("test", inner_.rx(queue_id{0})).report_to(line);
  auto& job = make({.packets = 4, .burst = 4});
  job.await(line);
  auto const turn = [&](cycles now) { return job.poll(running(now)); };
  EXPECT_EQ(turn(1), 0U);
  (void)receivers[0].poll(running(2));
  (void)receivers[0].poll(running(3));
  EXPECT_EQ(turn(4), 0U) << "the other one was not";
  EXPECT_FALSE(job.is_finished());
  (void)receivers[1].poll(running(5));
  EXPECT_EQ(turn(6), 4U);
  EXPECT_TRUE(job.is_finished());
  EXPECT_EQ(take().size(), 4U);
}

TEST_F(generator_test, waits_for_no_receiver_when_it_is_stopped_or_the_run_drains) {
  starting_line line;
  line.await_one_more();
  auto& stopped = make({.packets = 4});
  stopped.await(line);
  stopped.stop();
  (void)stopped.poll(running(1));
  EXPECT_TRUE(stopped.is_finished());
  auto& drained = make({.packets = 4});
  drained.await(line);
  (void)drained.poll({.now = 1, .phase = run_phase::draining});
  EXPECT_TRUE(drained.is_finished());
  EXPECT_EQ(take().size(), 0U);
}

TEST_F(generator_test, counts_its_duration_from_when_it_may_send) {
  starting_line line;
  line.await_one_more();
  auto& job = make({.duration = 10, .burst = 4});
  job.await(line);
  (void)job.poll(running(100));
  line.arrive();
  EXPECT_EQ(job.poll(running(200)), 4U);
  (void)job.poll(running(210));
  EXPECT_TRUE(job.is_finished());
}

TEST_F(generator_test, sends_recorded_packets_at_their_times_and_no_flood_after_a_stall) {
  timed_packets const recorded;
  generator_job<timed_packets> job{"test", recorded,      outer_.tx(queue_id{0}),
                                   pool_,  {.burst = 32}, {{0, rate::unit::unlimited}, 0, 1e9}};
  auto const sent_at = [&](std::chrono::milliseconds time) { return job.poll(running(1 + to_cycles(time))); };
  using std::chrono_literals::operator""ms;
  EXPECT_EQ(sent_at(0ms), 1U);
  EXPECT_EQ(sent_at(2ms), 0U);
  EXPECT_EQ(sent_at(7ms), 2U);
  EXPECT_EQ(sent_at(1000ms), 4U) << "the next, and those that were recorded 10 ms after it";
  EXPECT_EQ(sent_at(1001ms), 0U);
  EXPECT_EQ(sent_at(1003ms), 1U) << "the gaps are as recorded";
  EXPECT_EQ(sent_at(1004ms), 0U);
}

}  // namespace
}  // namespace packetwarp::traffic
