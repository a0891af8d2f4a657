// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "pipeline/transmit_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "fixtures/mbufs.h"
#include "fixtures/wire.h"

namespace packetwarp {
namespace {

using packets = std::vector<rte_mbuf*>;

constexpr auto to_first = verdict::forward(egress_index{0});
constexpr auto to_second = verdict::forward(egress_index{1});

// A TX job with two egresses, which are queues of a wire that holds 16 packets each. The test plays executor and the
// wire's far end.
class transmit_job_test : public testing::Test {
 protected:
  static constexpr std::uint32_t depth = 16;
  static constexpr std::uint32_t burst_size = 32;
  static constexpr chain_limit no_chains{};
  static constexpr cycles a_long_time = cycles{1} << 50;

  // After any test: each received packet has left, was dropped or is still held, and every mbuf is accounted for.
  void TearDown() override {
    (void)receive(0);
    (void)receive(1);
    (void)poll(0, run_phase::abandoning);
    while (poll(0, run_phase::abandoning) != 0) continue;
    auto const by_reason = std::accumulate(counters_.dropped.begin(), counters_.dropped.end(), std::uint64_t{0},
                                           [](auto sum, auto const& counter) { return sum + counter.read(); });
    EXPECT_EQ(by_reason, counters_.dropped_packets.read());
    EXPECT_EQ(counters_.packets.read() + counters_.punted.read() + counters_.dropped_packets.read(), given_);
    EXPECT_EQ(received_ + test::receive_all(wire_.right.rx(queue_id{0})).size(), received_) << "nothing left behind";
    EXPECT_EQ(received_, counters_.packets.read());
    EXPECT_EQ(pool_.available(), pool_.config().packets);
  }

  // A finished burst of one packet per verdict, each with a number in its first bytes.
  void finish(std::vector<verdict> const& verdicts, burst_outcome outcome = burst_outcome::mixed()) {
    auto* const open = ring_.open();
    ASSERT_NE(open, nullptr);
    open->opened = now_cycles();
    for (auto const v : verdicts) {
      open->verdicts[open->size] = v;
      open->packets[open->size++] = test::make_packet(pool_, frame_of(given_++));
    }
    ring_.publish();
    ASSERT_NE(ring_.next_ready(), nullptr);
    ring_.take();
    ring_.finish(outcome);
  }
  void finish_uniform(std::size_t count, verdict all = to_first) {
    // An executor with a uniform outcome does not write the verdicts: they may hold anything.
    finish(std::vector<verdict>(count, verdict::drop(drop_reason::no_kernel_interface)), burst_outcome::uniform(all));
  }
  // A finished burst of single and chained packets.
  void finish_lengths(std::vector<std::size_t> const& lengths, burst_outcome outcome) {
    auto* const open = ring_.open();
    ASSERT_NE(open, nullptr);
    for (auto const length : lengths) {
      auto frame = frame_of(given_++);
      frame.resize(length);
      open->verdicts[open->size] = to_first;
      open->packets[open->size] = test::make_packet(pool_, frame);
      open->has_chained |= open->packets[open->size++]->nb_segs > 1;
    }
    ring_.publish();
    ASSERT_NE(ring_.next_ready(), nullptr);
    ring_.take();
    ring_.finish(outcome);
  }
  static std::vector<std::byte> frame_of(std::uint64_t number) {
    std::vector<std::byte> frame(60);
    std::memcpy(frame.data(), &number, sizeof number);
    return frame;
  }

  std::uint32_t poll(cycles later = 0, run_phase phase = run_phase::running) {
    return job_.poll({.now = now_cycles() + later, .phase = phase});
  }
  // The same by a clock that stands still, where a time between two polls matters.
  std::uint32_t poll_at(cycles later = 0) { return job_.poll({.now = start_ + later, .phase = run_phase::running}); }
  // The numbers of the packets that have arrived at the far end of an egress.
  std::vector<std::uint64_t> receive(std::uint16_t egress_number) {
    std::vector<std::uint64_t> numbers;
    for (auto* packet : test::receive_all(wire_.right.rx(queue_id{egress_number}))) {
      std::uint64_t number = 0;
      std::memcpy(&number, rte_pktmbuf_mtod(packet, void*), sizeof number);
      numbers.push_back(number);
      rte_pktmbuf_free(packet);
    }
    received_ += numbers.size();
    return numbers;
  }
  [[nodiscard]] std::uint64_t dropped(drop_reason why) const {
    return counters_.dropped[static_cast<std::size_t>(why)].read();
  }
  static std::vector<std::uint64_t> numbers(std::uint64_t from, std::uint64_t to) {
    std::vector<std::uint64_t> all(to - from);
    std::iota(all.begin(), all.end(), from);
    return all;
  }
  std::vector<egress> make_egresses(chain_limit longest_chain, cycles timeout) {
    std::vector<egress> made;
    for (std::uint16_t q = 0; q < 2; ++q) {
      made.emplace_back(wire_.left.tx(queue_id{q}), longest_chain, 2 * burst_size, timeout);
    }
    return made;
  }

  // The first of them alone, of a port with an interrupt gate.
  std::vector<egress> make_gated_egress(queue_pass& pass, cycles timeout) {
    std::vector<egress> made;
    made.emplace_back(tx_queue{wire_.left.facts().id, queue_id{0}, &pass}, no_chains, 2 * burst_size, timeout);
    return made;
  }

  packet_pool pool_{test::small_pool("transmit_job_test", 1023, 256)};
  test::started_wire wire_{pool_, 2, depth};
  burst_ring ring_{4, burst_size};
  departure_counters counters_;
  transmit_job job_{5, ring_, make_egresses(no_chains, a_long_time), counters_};
  cycles start_{now_cycles()};
  std::uint64_t given_{0};
  std::uint64_t received_{0};
};

TEST_F(transmit_job_test, does_nothing_when_nothing_is_finished) {
  EXPECT_EQ(poll(), 0u);
  EXPECT_EQ(job_.name(), "transmit 5");
}

TEST_F(transmit_job_test, sends_a_uniform_burst_without_looking_at_its_verdicts) {
  finish_uniform(10, to_second);
  EXPECT_EQ(poll(), 10u);
  EXPECT_EQ(receive(1), numbers(0, 10));
  EXPECT_EQ(counters_.packets.read(), 10u);
  EXPECT_TRUE(ring_.has_fewer_than(1));
}

TEST_F(transmit_job_test, does_with_each_packet_what_its_verdict_says_and_keeps_order_within_an_egress) {
  finish({to_first, to_first, to_second, verdict::drop(function_drop(3)), to_first, verdict::punt(), to_second});
  EXPECT_EQ(poll(), 7u);
  EXPECT_THAT(receive(0), testing::ElementsAre(0, 1, 4));
  EXPECT_THAT(receive(1), testing::ElementsAre(2, 6));
  EXPECT_EQ(dropped(function_drop(3)), 1u);
  EXPECT_EQ(dropped(drop_reason::no_kernel_interface), 1u);
  EXPECT_EQ(counters_.dropped_packets.read(), 2u);
  EXPECT_EQ(counters_.dropped_bytes.read(), 120u);
}

TEST_F(transmit_job_test, sends_a_packet_from_where_its_function_has_moved_its_front) {
  finish({verdict::forward(egress_index{0}, front_move::push_4), to_first,
          verdict::forward(egress_index{0}, front_move::pop_8)});
  EXPECT_EQ(poll(), 3u);
  auto left = test::receive_all(wire_.right.rx(queue_id{0}));
  received_ += left.size();
  ASSERT_EQ(left.size(), 3u);
  EXPECT_EQ(left[0]->pkt_len, 64u);
  EXPECT_EQ(left[0]->data_off, left[1]->data_off - 4);
  EXPECT_EQ(left[1]->pkt_len, 60u);
  EXPECT_EQ(left[2]->data_len, 52u);
  EXPECT_EQ(left[2]->data_off, left[1]->data_off + 8);
  rte_pktmbuf_free_bulk(left.data(), static_cast<unsigned>(left.size()));
}

TEST_F(transmit_job_test, drops_a_packet_from_where_its_function_has_moved_its_front) {
  finish({verdict::drop(function_drop(3), front_move::push_8), verdict::drop(function_drop(3), front_move::pop_4)});
  EXPECT_EQ(poll(), 2u);
  EXPECT_EQ(counters_.dropped_bytes.read(), 60u + 8u + 60u - 4u);
  finish({verdict::forward(egress_index{0}, front_move::push_4)});
  EXPECT_EQ(poll(0, run_phase::abandoning), 1u);
  EXPECT_EQ(dropped(drop_reason::shutdown), 1u);
  EXPECT_EQ(counters_.dropped_bytes.read(), 124u + 64u);
}

TEST_F(transmit_job_test, drops_a_whole_burst_by_name) {
  finish_uniform(32, verdict::drop(function_drop(0)));
  EXPECT_EQ(poll(), 32u);
  EXPECT_EQ(dropped(function_drop(0)), 32u);
  EXPECT_EQ(pool_.available(), pool_.config().packets);
}

TEST_F(transmit_job_test, lets_what_a_port_does_not_take_wait_and_sends_it_in_order_when_it_does) {
  finish_uniform(32);
  finish_uniform(32);
  EXPECT_EQ(poll(), 32u);
  EXPECT_EQ(counters_.packets.read(), depth);
  EXPECT_EQ(poll(), 32u) << "one more burst may wait";
  for (std::uint64_t from = 0; from < 64; from += depth) {
    EXPECT_EQ(receive(0), numbers(from, from + depth));
    EXPECT_EQ(poll(), 0u);
  }
  EXPECT_EQ(counters_.packets.read(), 64u);
  EXPECT_EQ(counters_.dropped_packets.read(), 0u);
}

TEST_F(transmit_job_test, takes_no_more_bursts_than_an_egress_has_room_for) {
  for (int i = 0; i < 4; ++i) finish_uniform(32);
  EXPECT_EQ(poll(), 32u);
  EXPECT_EQ(poll(), 32u);
  EXPECT_EQ(poll(), 0u) << "48 wait, 32 more do not fit";
  for (int i = 0; i < 2; ++i) finish_uniform(32);
  EXPECT_EQ(ring_.open(), nullptr) << "so the ring fills up and the RX port is no longer polled";
  std::vector<std::uint64_t> arrived;
  for (int i = 0; i < 20; ++i) {
    auto const some = receive(0);
    arrived.insert(arrived.end(), some.begin(), some.end());
    (void)poll();
  }
  EXPECT_EQ(arrived, numbers(0, 192));
}

TEST_F(transmit_job_test, drops_what_waits_for_a_port_that_takes_nothing_for_the_time_out) {
  finish_uniform(32);
  EXPECT_EQ(poll(), 32u);
  EXPECT_EQ(poll(a_long_time / 2), 0u);
  EXPECT_EQ(counters_.dropped_packets.read(), 0u) << "not yet";
  EXPECT_EQ(poll(a_long_time), 0u);
  EXPECT_EQ(dropped(drop_reason::tx_full), 32u - depth);
  EXPECT_EQ(counters_.packets.read(), depth);
  EXPECT_EQ(receive(0), numbers(0, depth));
}

// A queue that its port's interrupt gate shuts: the port says nothing, and may have room.
TEST_F(transmit_job_test, does_not_count_the_time_for_which_a_queue_is_shut) {
  constexpr cycles timeout = 1000;
  std::atomic<bool> shut{false};
  queue_pass pass{shut};
  transmit_job job{0, ring_, make_gated_egress(pass, timeout), counters_};
  auto const poll_at = [&](cycles later) { (void)job.poll({.now = start_ + later, .phase = run_phase::running}); };
  shut = true;
  finish_uniform(depth);
  for (cycles later = 0; later <= 100 * timeout; later += timeout) poll_at(later);
  EXPECT_EQ(counters_.dropped_packets.read(), 0u);
  shut = false;
  poll_at(101 * timeout);
  EXPECT_EQ(counters_.packets.read(), depth);
  // The port is full now: its time-out begins when the queue opens again.
  finish_uniform(1);
  shut = true;
  for (cycles later = 102 * timeout; later <= 110 * timeout; later += timeout) poll_at(later);
  shut = false;
  poll_at(110 * timeout + timeout / 2);
  poll_at(111 * timeout);
  EXPECT_EQ(counters_.dropped_packets.read(), 0u) << "not yet";
  poll_at(111 * timeout + timeout / 2);
  EXPECT_EQ(dropped(drop_reason::tx_full), 1u);
  EXPECT_EQ(receive(0), numbers(0, depth));
}

// A port that awaits its peer has a gate that shuts all the time, and takes nothing.
TEST_F(transmit_job_test, counts_the_time_for_which_a_queue_is_open_now_and_then) {
  constexpr cycles timeout = 1000;
  std::atomic<bool> shut{false};
  queue_pass pass{shut};
  transmit_job job{0, ring_, make_gated_egress(pass, timeout), counters_};
  finish_uniform(depth + 1);
  // Shut for half of the time.
  cycles later = 0;
  for (; counters_.dropped_packets.read() == 0 && later < 10 * timeout; later += timeout / 20) {
    (void)job.poll({.now = start_ + later, .phase = run_phase::running});
    shut = !shut;
  }
  EXPECT_NEAR(static_cast<double>(later), 2 * timeout, timeout / 8);
  EXPECT_EQ(dropped(drop_reason::tx_full), 1u);
  EXPECT_EQ(receive(0), numbers(0, depth));
}

TEST_F(transmit_job_test, calls_a_queue_stuck_that_stays_shut) {
  std::atomic<bool> shut{true};
  queue_pass pass{shut};
  transmit_job job{0, ring_, make_gated_egress(pass, cycles{1000}), counters_};
  auto const longest = to_cycles(egress::longest_shut);
  finish_uniform(depth);
  for (auto const later : {cycles{0}, cycles{1}, longest, longest + 999}) {
    (void)job.poll({.now = start_ + later, .phase = run_phase::running});
  }
  EXPECT_EQ(counters_.dropped_packets.read(), 0u) << "not yet";
  (void)job.poll({.now = start_ + longest + 1000, .phase = run_phase::running});
  EXPECT_EQ(dropped(drop_reason::tx_full), depth);
}

TEST_F(transmit_job_test, takes_latency_only_with_a_fresh_clock) {
  finish_uniform(4);
  finish_uniform(4);
  tick t{.now = now_cycles(), .phase = run_phase::running, .read = tick::clock::of_turn};
  EXPECT_EQ(job_.poll(t), 4u);
  EXPECT_EQ(counters_.latency.snapshot().count(), 0u);
  t.read = tick::clock::fresh;
  EXPECT_EQ(job_.poll(t), 4u);
  EXPECT_EQ(counters_.latency.snapshot().count(), 4u);
}

// Another lcore may receive a burst, and a third one finish it, after this lcore has read its clock.
TEST_F(transmit_job_test, takes_the_latency_of_a_burst_that_began_after_the_clock_was_read) {
  tick const t{.now = now_cycles(), .phase = run_phase::running, .read = tick::clock::fresh};
  finish_uniform(4);
  auto const finished = now_cycles();
  constexpr cycles waited = 100'000;
  while (now_cycles() - finished < waited) {
  }
  EXPECT_EQ(job_.poll(t), 4u);
  EXPECT_EQ(counters_.latency.snapshot().count(), 4u);
  EXPECT_LE(counters_.latency.snapshot().min(), now_cycles() - t.now);
  EXPECT_LE(counters_.latency.snapshot().max(), 2 * (now_cycles() - t.now)) << "the histogram is coarse";
  EXPECT_GE(2 * counters_.latency.snapshot().max(), waited);
}

TEST_F(transmit_job_test, waits_anew_after_every_packet_that_a_slow_port_takes) {
  finish_uniform(32);
  finish_uniform(16);
  EXPECT_EQ(poll() + poll(), 48u);
  EXPECT_EQ(receive(0), numbers(0, depth));
  // 32 wait. The port takes 16 of them just as time is up: that is progress, so the rest may wait as long again.
  EXPECT_EQ(poll(a_long_time), 0u);
  EXPECT_EQ(poll(a_long_time + a_long_time / 2), 0u);
  EXPECT_EQ(counters_.dropped_packets.read(), 0u);
  EXPECT_EQ(receive(0), numbers(depth, 2 * depth));
  EXPECT_EQ(poll(a_long_time + a_long_time / 2), 0u);
  EXPECT_EQ(receive(0), numbers(2 * depth, 48));
}

TEST_F(transmit_job_test, with_no_time_out_drops_at_once_what_does_not_fit) {
  transmit_job impatient{0, ring_, make_egresses(no_chains, 0), counters_};
  finish_uniform(32);
  EXPECT_EQ(impatient.poll({.now = now_cycles(), .phase = run_phase::running}), 32u);
  EXPECT_EQ(impatient.poll({.now = now_cycles(), .phase = run_phase::running}), 0u);
  EXPECT_EQ(dropped(drop_reason::tx_full), 32u - depth);
  EXPECT_EQ(receive(0), numbers(0, depth));
}

TEST_F(transmit_job_test, is_held_up_by_a_stuck_port_for_the_time_out_at_most) {
  for (int i = 0; i < 3; ++i) finish_uniform(32);
  finish_uniform(8, to_second);
  EXPECT_EQ(poll() + poll(), 64u);
  EXPECT_EQ(poll(), 0u);
  EXPECT_EQ(poll(a_long_time), 32u) << "the waiting ones are dropped, so the next burst is taken";
  EXPECT_EQ(poll(a_long_time), 8u);
  EXPECT_EQ(receive(1), numbers(96, 104)) << "the other port's packets got through";
  EXPECT_EQ(dropped(drop_reason::tx_full), 96u - depth) << "the time-out does not start anew";
}

TEST_F(transmit_job_test, gives_a_stuck_port_s_packets_no_time_and_all_others_go_on) {
  finish_uniform(32);
  EXPECT_EQ(poll(), 32u);
  EXPECT_EQ(poll(a_long_time), 0u) << "given up";
  for (int i = 0; i < 50; ++i) {
    finish({to_second, to_first, to_second});
    finish_uniform(5, to_first);
    EXPECT_EQ(poll(a_long_time), 3u);
    EXPECT_EQ(poll(a_long_time), 5u);
    EXPECT_EQ(receive(1).size(), 2u);
  }
  EXPECT_EQ(dropped(drop_reason::tx_full), 32u - depth + 50 * 6);
  EXPECT_EQ(counters_.dropped_packets.read(), dropped(drop_reason::tx_full));
}

TEST_F(transmit_job_test, tries_a_stuck_port_now_and_then_and_goes_on_as_soon_as_it_takes_packets) {
  auto const a_probe_later = a_long_time + to_cycles(egress::longest_between_probes) * 1000;
  finish_uniform(32);
  EXPECT_EQ(poll_at(), 32u);
  EXPECT_EQ(poll_at(a_long_time), 0u);
  finish_uniform(3);
  EXPECT_EQ(poll_at(a_probe_later), 3u) << "tried, and not taken";
  EXPECT_EQ(receive(0), numbers(0, depth));
  finish_uniform(4);
  EXPECT_EQ(poll_at(a_probe_later), 4u) << "the next try is later";
  EXPECT_EQ(dropped(drop_reason::tx_full), 32u - depth + 3 + 4);
  finish_uniform(20);
  EXPECT_EQ(poll_at(2 * a_probe_later), 20u);
  finish_uniform(2);
  EXPECT_EQ(poll_at(2 * a_probe_later), 2u);
  EXPECT_EQ(receive(0), numbers(39, 39 + depth)) << "taken again";
  EXPECT_EQ(poll_at(2 * a_probe_later), 0u);
  EXPECT_EQ(receive(0), numbers(39 + depth, 61)) << "in order, and waiting as ever";
  EXPECT_EQ(dropped(drop_reason::tx_full), 32u - depth + 3 + 4);
}

TEST_F(transmit_job_test, never_tries_a_port_again_that_was_taken_away) {
  auto const a_probe_later = a_long_time + to_cycles(egress::longest_between_probes) * 1000;
  finish_uniform(32);
  finish_uniform(32);
  finish({to_second, to_second});
  finish_uniform(32);
  EXPECT_EQ(poll() + poll() + poll(), 66u) << "48 wait";
  EXPECT_EQ(poll(), 0u) << "the last burst is held up in the ring";
  job_.leave(port_id{static_cast<std::uint16_t>(wire_.left.facts().id.value() + 1000)}, now_cycles());
  EXPECT_EQ(dropped(drop_reason::tx_full), 0u) << "another port";
  EXPECT_EQ(receive(0), numbers(0, depth));
  EXPECT_EQ(receive(1), numbers(64, 66));
  job_.leave(wire_.left.facts().id, now_cycles());
  EXPECT_EQ(dropped(drop_reason::tx_full), 64u - depth) << "what waited";
  EXPECT_EQ(poll(), 32u);
  for (cycles i = 1; i <= 3; ++i) {
    finish({to_second, to_first, to_second});
    EXPECT_EQ(poll(i * a_probe_later), 3u);
  }
  EXPECT_EQ(dropped(drop_reason::tx_full), 64u - depth + 32 + 3 * 3);
  EXPECT_TRUE(receive(0).empty() && receive(1).empty());
}

TEST_F(transmit_job_test, uses_a_port_again_that_it_rejoins) {
  finish_uniform(3);
  EXPECT_EQ(poll(), 3u);
  job_.leave(wire_.left.facts().id, now_cycles());
  finish_uniform(4);
  EXPECT_EQ(poll(), 4u);
  EXPECT_EQ(dropped(drop_reason::tx_full), 4u);
  job_.rejoin(port_id{static_cast<std::uint16_t>(wire_.left.facts().id.value() + 1000)});
  finish_uniform(5);
  EXPECT_EQ(poll(), 5u);
  EXPECT_EQ(dropped(drop_reason::tx_full), 9u) << "another port came back";
  job_.rejoin(wire_.left.facts().id);
  finish_uniform(2);
  EXPECT_EQ(poll(), 2u);
  EXPECT_EQ(dropped(drop_reason::tx_full), 9u);
  EXPECT_EQ(receive(0), (std::vector<std::uint64_t>{0, 1, 2, 12, 13}));
}

TEST_F(transmit_job_test, takes_bursts_that_do_not_use_a_full_egress) {
  finish_uniform(32);
  finish_uniform(32);
  EXPECT_EQ(poll() + poll(), 64u) << "48 wait";
  finish({to_second, verdict::drop(function_drop(0)), to_second});
  finish_uniform(8, to_second);
  EXPECT_EQ(poll(), 3u);
  EXPECT_EQ(poll(), 8u);
  EXPECT_EQ(receive(1), (std::vector<std::uint64_t>{64, 66, 67, 68, 69, 70, 71, 72, 73, 74}));
  EXPECT_EQ(dropped(drop_reason::tx_full), 0u);
}

TEST_F(transmit_job_test, takes_from_a_burst_that_waits_what_is_not_for_the_full_egress) {
  finish_uniform(32);
  finish_uniform(32);
  EXPECT_EQ(poll() + poll(), 64u) << "48 wait, 16 more have room";
  std::vector<verdict> mixed(24, to_first);
  for (std::size_t const at : {std::size_t{0}, std::size_t{5}, std::size_t{23}}) mixed[at] = to_second;
  mixed[7] = verdict::drop(function_drop(1));
  finish(mixed);
  finish_uniform(4, to_second);
  EXPECT_EQ(poll(), 4u) << "20 are for the full one";
  EXPECT_EQ(receive(1), (std::vector<std::uint64_t>{64, 69, 87}));
  EXPECT_EQ(dropped(function_drop(1)), 1u);
  EXPECT_EQ(poll(), 0u) << "the next burst is behind those in the ring";
  std::vector<std::uint64_t> arrived;
  while (arrived.size() < 84) {
    auto const some = receive(0);
    arrived.insert(arrived.end(), some.begin(), some.end());
    (void)poll();
  }
  auto expected = numbers(0, 88);
  for (auto const taken : {64, 69, 71, 87}) std::erase(expected, taken);
  EXPECT_EQ(arrived, expected) << "in order";
  EXPECT_EQ(receive(1), numbers(88, 92));
  EXPECT_EQ(dropped(drop_reason::tx_full), 0u);
}

TEST_F(transmit_job_test, drops_what_finds_no_room_once_a_slow_egress_has_held_up_the_others_for_its_time) {
  constexpr cycles timeout = 1'000'000;
  transmit_job job{0, ring_, make_egresses(no_chains, timeout), counters_};
  auto now = now_cycles();
  auto const turn = [&](cycles later) {
    now += later;
    return job.poll({.now = now, .phase = run_phase::running});
  };
  // The port takes its 16 packets each half time-out: it is never stuck, and has room for no more than 16 of 32.
  std::vector<std::uint64_t> slow;
  auto const a_slow_step = [&] {
    auto const some = receive(0);
    slow.insert(slow.end(), some.begin(), some.end());
    return turn(timeout / 2);
  };
  std::uint64_t held = 0, others = 0;
  for (int i = 0; i < 200; ++i) {
    for (int n = 0; n < 3; ++n) finish_uniform(32, to_first);
    finish_uniform(4, to_second);
    for (int taken = 0; taken < 100;) {
      auto const n = a_slow_step();
      taken += static_cast<int>(n);
      held += n == 0 ? 1 : 0;
    }
    others += receive(1).size();
  }
  EXPECT_EQ(others, 800u);
  EXPECT_GT(held, 0u) << "a port that is slow for a moment loses nothing";
  EXPECT_LE(held, 3u) << "the time-out, in halves, and no more as long as it is full";
  EXPECT_GT(dropped(drop_reason::tx_full), 0u);
  EXPECT_TRUE(std::is_sorted(slow.begin(), slow.end())) << "in order";
  for (int i = 0; i < 10; ++i) (void)a_slow_step();
}

TEST_F(transmit_job_test, lets_the_ring_fill_up_for_ever_where_there_is_no_other_egress) {
  constexpr cycles timeout = 1'000'000;
  std::vector<egress> only;
  only.emplace_back(wire_.left.tx(queue_id{0}), no_chains, 2 * burst_size, timeout);
  transmit_job job{0, ring_, std::move(only), counters_};
  auto now = now_cycles();
  std::vector<std::uint64_t> arrived;
  while (arrived.size() < 32 * 40) {
    if (given_ < 32 * 40 && ring_.open() != nullptr) finish_uniform(32);
    (void)job.poll({.now = now += timeout / 2, .phase = run_phase::running});
    auto const some = receive(0);
    arrived.insert(arrived.end(), some.begin(), some.end());
  }
  EXPECT_EQ(arrived, numbers(0, 32 * 40));
  EXPECT_EQ(counters_.dropped_packets.read(), 0u);
}

TEST_F(transmit_job_test, drops_chained_packets_where_the_port_takes_none_and_sends_the_rest) {
  finish_lengths({60, 300, 60, 1000, 60}, burst_outcome::uniform(to_first));
  EXPECT_EQ(poll(), 5u);
  EXPECT_THAT(receive(0), testing::ElementsAre(0, 2, 4));
  EXPECT_EQ(dropped(drop_reason::tx_chained), 2u);
  EXPECT_EQ(counters_.dropped_bytes.read(), 1300u) << "of the whole chains";
}

TEST_F(transmit_job_test, keeps_the_function_s_reason_for_a_chained_packet_it_drops) {
  finish_lengths({60, 300}, burst_outcome::uniform(verdict::drop(function_drop(1))));
  EXPECT_EQ(poll(), 2u);
  EXPECT_EQ(dropped(function_drop(1)), 2u);
  EXPECT_EQ(dropped(drop_reason::tx_chained), 0u);
}

TEST_F(transmit_job_test, sends_chained_packets_where_the_port_takes_them) {
  transmit_job able{0, ring_, make_egresses({any_length}, a_long_time), counters_};
  finish_lengths({60, 300, 60, 1000, 60}, burst_outcome::mixed());
  EXPECT_EQ(able.poll({.now = now_cycles(), .phase = run_phase::running}), 5u);
  EXPECT_EQ(receive(0), numbers(0, 5));
}

TEST_F(transmit_job_test, drops_the_chains_that_are_longer_than_the_port_sends_whole) {
  transmit_job able{0, ring_, make_egresses({300}, a_long_time), counters_};
  finish_lengths({60, 300, 60, 301, 60}, burst_outcome::mixed());
  EXPECT_EQ(able.poll({.now = now_cycles(), .phase = run_phase::running}), 5u);
  EXPECT_THAT(receive(0), testing::ElementsAre(0, 1, 2, 4));
  EXPECT_EQ(dropped(drop_reason::tx_chained), 1u);
}

// The pool's mbufs have room for 256 bytes. A driver that gets more mbufs than its device takes may stop sending.
TEST_F(transmit_job_test, drops_the_chains_of_more_mbufs_than_the_port_sends) {
  transmit_job able{0, ring_, make_egresses({any_length, 2}, a_long_time), counters_};
  finish_lengths({60, 512, 60, 513, 60}, burst_outcome::mixed());
  EXPECT_EQ(able.poll({.now = now_cycles(), .phase = run_phase::running}), 5u);
  EXPECT_THAT(receive(0), testing::ElementsAre(0, 1, 2, 4));
  EXPECT_EQ(dropped(drop_reason::tx_chained), 1u);
}

TEST_F(transmit_job_test, drops_packets_of_one_mbuf_that_are_longer_than_the_port_s_buffers) {
  transmit_job able{0, ring_, make_egresses({.single = 100}, a_long_time), counters_};
  finish_lengths({60, 101, 100, 300}, burst_outcome::uniform(to_first));
  EXPECT_EQ(able.poll({.now = now_cycles(), .phase = run_phase::running}), 4u);
  EXPECT_THAT(receive(0), testing::ElementsAre(0, 2));
  EXPECT_EQ(dropped(drop_reason::tx_chained), 2u);
}

TEST_F(transmit_job_test, counts_the_bytes_that_a_function_has_put_in_front_as_the_packet_s) {
  transmit_job able{0, ring_, make_egresses({.single = 100}, a_long_time), counters_};
  finish_lengths({96, 97}, burst_outcome::uniform(verdict::forward(egress_index{0}, front_move::push_4)));
  EXPECT_EQ(able.poll({.now = now_cycles(), .phase = run_phase::running}), 2u);
  EXPECT_EQ(counters_.packets.read(), 1u);
  EXPECT_EQ(dropped(drop_reason::tx_chained), 1u);
}

TEST_F(transmit_job_test, drops_packets_that_are_longer_than_the_port_s_kernel_interface_takes) {
  frame_limit taken{0, 250};
  taken.follow(100);
  transmit_job able{0, ring_, make_egresses({.frames = &taken}, a_long_time), counters_};
  finish_lengths({60, 115, 114, 118}, burst_outcome::uniform(to_first));
  EXPECT_EQ(able.poll({.now = now_cycles(), .phase = run_phase::running}), 4u);
  EXPECT_THAT(receive(0), testing::ElementsAre(0, 2));
  EXPECT_EQ(dropped(drop_reason::tx_too_long), 2u);
  taken.follow(1500);
  finish_lengths({250, 251}, burst_outcome::uniform(to_first));
  EXPECT_EQ(able.poll({.now = now_cycles(), .phase = run_phase::running}), 2u);
  EXPECT_THAT(receive(0), testing::ElementsAre(4)) << "as long as the port's rings have room for";
  EXPECT_EQ(dropped(drop_reason::tx_too_long), 3u);
}

TEST_F(transmit_job_test, when_draining_sends_as_ever) {
  finish_uniform(32);
  EXPECT_EQ(poll(0, run_phase::draining), 32u);
  EXPECT_EQ(receive(0), numbers(0, depth));
  EXPECT_EQ(poll(0, run_phase::draining), 0u);
  EXPECT_EQ(receive(0), numbers(depth, 32));
}

TEST_F(transmit_job_test, when_abandoning_drops_bursts_and_waiting_packets_as_shutdown) {
  finish_uniform(32);
  finish_uniform(10, to_second);
  finish({to_first, verdict::drop(function_drop(2)), verdict::punt()});
  EXPECT_EQ(poll(), 32u);
  EXPECT_EQ(poll(0, run_phase::abandoning), 10u);
  EXPECT_EQ(poll(0, run_phase::abandoning), 3u);
  EXPECT_EQ(dropped(drop_reason::shutdown), 32u - depth + 10 + 3);
  EXPECT_EQ(counters_.packets.read(), depth);
  EXPECT_TRUE(ring_.has_fewer_than(1));
}

}  // namespace
}  // namespace packetwarp
