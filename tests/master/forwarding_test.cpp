// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "master/forwarding_fixture.h"

namespace packetwarp {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

// Whole runs, in every arrangement of workers: on one lcore here, and on four in the program that runs them as threads.
class forwarding : public test::forwarding_fixture, public testing::WithParamInterface<arrangement> {
 protected:
  forwarding() { config_.workers = GetParam(); }
  // The far end is full, and more has come in than it takes.
  static bool is_stuck(data_plane const& plane) {
    return plane.totals().tx_packets == depth_out && plane.totals().rx_packets > depth_out;
  }
};

TEST_P(forwarding, ends_after_the_packets_asked_for_and_sends_all_it_received) {
  limits_.packets = 100;
  run([&](auto&, auto&) {
    send(8);
    collect();
  });
  collect();
  EXPECT_EQ(cause_, end_cause::packets);
  EXPECT_GE(totals_.rx_packets, 100u);
  EXPECT_EQ(totals_.tx_packets, totals_.rx_packets);
  EXPECT_EQ(totals_.rx_bytes, totals_.rx_packets * 60);
  EXPECT_EQ(arrived_, numbers(totals_.rx_packets));
  EXPECT_EQ(measured_.from.rx_packets, 0u) << "without a warm-up all packets count";
  EXPECT_EQ(measured_.begin, totals_.first_seen);
  EXPECT_GE(measured_.to.rx_packets, 100u);
}

TEST_P(forwarding, measures_from_the_end_of_the_warm_up_on) {
  limits_.warmup = 64;
  limits_.packets = 64;
  // Few at a time, so that a loop iteration of the master falls between the two however late a worker is.
  run([&](data_plane& plane, auto&) {
    if (plane.totals().rx_packets == sent_) send(8);
    collect();
  });
  collect();
  EXPECT_EQ(cause_, end_cause::packets);
  EXPECT_GT(measured_.from.rx_packets, 64u);
  EXPECT_GE(measured_.to.rx_packets, 128u);
  EXPECT_GT(measured_.begin, totals_.first_seen);
  EXPECT_GT(measured_.seconds(), 0.0);
  EXPECT_EQ(arrived_, numbers(totals_.rx_packets)) << "warm-up packets are forwarded like others";
}

TEST_P(forwarding, that_ends_before_its_warm_up_has_measured_nothing) {
  limits_.warmup = 1000;
  limits_.until_idle = 200ms;
  send(10);
  run();
  collect();
  EXPECT_EQ(totals_.tx_packets, 10u);
  EXPECT_EQ(measured_.seconds(), 0.0);
  EXPECT_EQ(measured_.to.rx_packets - measured_.from.rx_packets, 0u);
}

TEST_P(forwarding, ends_when_no_packet_has_come_for_the_time_asked_for) {
  limits_.until_idle = 200ms;
  send(500);
  run();
  collect();
  EXPECT_EQ(cause_, end_cause::idle);
  EXPECT_EQ(arrived_, numbers(500));
  EXPECT_EQ(measured_.begin, totals_.first_seen);
  EXPECT_EQ(measured_.end, totals_.last_seen) << "the idle time does not count";
}

TEST_P(forwarding, ends_after_the_time_asked_for_without_any_packet) {
  limits_.duration = 2ms;
  run();
  EXPECT_EQ(cause_, end_cause::duration);
  EXPECT_EQ(totals_.rx_packets, 0u);
  EXPECT_EQ(measured_.seconds(), 0.0);
}

TEST_P(forwarding, ends_when_it_is_asked_to_and_sends_what_it_received) {
  run([&](data_plane& plane, auto&) {
    send(32);
    collect();
    if (plane.totals().rx_packets > 200 && stop_requested() == stop_request::none) request_stop();
  });
  collect();
  EXPECT_EQ(cause_, end_cause::signal);
  EXPECT_EQ(arrived_, numbers(totals_.rx_packets));
  EXPECT_THAT(drops_, IsEmpty());
}

TEST_P(forwarding, ends_when_its_master_s_own_master_says_so) {
  run([&](data_plane& plane, supervisor& inner) {
    send(1);
    if (plane.totals().tx_packets > 3) inner.finish();
  });
  collect();
  EXPECT_EQ(cause_, end_cause::finished);
  EXPECT_EQ(arrived_, numbers(totals_.rx_packets));
}

// The far end takes nothing until the run is being stopped: queues, rings and bursts are full by then.
TEST_P(forwarding, drains_what_is_in_flight_in_order_however_much_it_is) {
  config_.burst = 64;
  run([&](data_plane& plane, auto&) {
    send(100);
    if (is_stuck(plane) && stop_requested() == stop_request::none) request_stop();
    if (stop_requested() != stop_request::none) collect();
  });
  collect();
  EXPECT_GT(totals_.rx_packets, depth_out);
  EXPECT_THAT(drops_, IsEmpty());
  EXPECT_EQ(arrived_, numbers(totals_.rx_packets));
}

TEST_P(forwarding, drops_what_is_in_flight_as_shutdown_when_asked_twice_to_stop) {
  run([&](data_plane& plane, auto&) {
    send(100);
    if (is_stuck(plane) && stop_requested() == stop_request::none) {
      request_stop();
      request_stop();
    }
  });
  collect();
  EXPECT_EQ(totals_.tx_packets, depth_out);
  EXPECT_THAT(drops_, ElementsAre(Pair("shutdown", totals_.rx_packets - depth_out)));
  EXPECT_EQ(arrived_, numbers(depth_out));
}

TEST_P(forwarding, drops_what_does_not_drain_in_time) {
  limits_.drain_timeout = 1ms;
  run([&](data_plane& plane, auto&) {
    send(100);
    if (is_stuck(plane) && stop_requested() == stop_request::none) request_stop();
  });
  EXPECT_EQ(totals_.tx_packets, depth_out);
  EXPECT_THAT(drops_, ElementsAre(Pair("shutdown", totals_.rx_packets - depth_out)));
  collect();
}

TEST_P(forwarding, drops_as_tx_full_what_a_stuck_port_does_not_take) {
  config_.tx_timeout = 1us;
  run([&](data_plane& plane, auto&) {
    send(100);
    if (plane.totals().rx_packets > 2 * depth_out && stop_requested() == stop_request::none) request_stop();
  });
  EXPECT_EQ(totals_.tx_packets, depth_out);
  EXPECT_THAT(drops_, ElementsAre(Pair("tx_full", totals_.rx_packets - depth_out)));
  collect();
}

TEST_P(forwarding, shares_packets_between_the_queues_of_a_port) {
  config_.pipelines = 4;
  limits_.until_idle = 200ms;
  send(100, 60, queue_id{0});
  send(50, 60, queue_id{1});
  run();
  collect(queue_id{0});
  EXPECT_EQ(arrived_, numbers(100));
  collect(queue_id{1});
  EXPECT_EQ(arrived_, numbers(150));
}

TEST_P(forwarding, drops_runts_by_name_and_forwards_the_rest_unharmed) {
  limits_.until_idle = 200ms;
  send(10);
  send(3, 13);
  run();
  collect();
  EXPECT_THAT(drops_, ElementsAre(Pair("runt", 3)));
  EXPECT_EQ(totals_.dropped_bytes, 39u);
  EXPECT_EQ(arrived_, numbers(10));
}

TEST_P(forwarding, forwards_chained_packets) {
  limits_.until_idle = 200ms;
  send(20, 1000);
  run();
  EXPECT_EQ(totals_.tx_packets, 20u);
  EXPECT_EQ(totals_.rx_bytes, 20'000u);
  collect();
  EXPECT_EQ(arrived_, numbers(20));
}

TEST_P(forwarding, changes_nothing_with_the_executor_none) {
  config_.executor = executor_kind::none;
  limits_.until_idle = 200ms;
  send(100);
  run();
  collect();
  EXPECT_EQ(arrived_, numbers(100));
}

TEST_P(forwarding, tells_about_every_period_from_where_the_last_one_ended) {
  limits_.stats_period = 1ms;
  run([&](auto&, supervisor& inner) {
    send(4);
    collect();
    if (periods_.size() >= 3) inner.finish();
  });
  ASSERT_GE(periods_.size(), 3u);
  for (std::size_t i = 1; i < periods_.size(); ++i) {
    EXPECT_EQ(periods_[i].begin, periods_[i - 1].end);
    EXPECT_EQ(periods_[i].from.rx_packets, periods_[i - 1].to.rx_packets);
    EXPECT_GE(periods_[i].seconds(), 0.001);
  }
}

// Small bursts matter: some drivers cannot fill small rooms, so they are polled for eight packets, of which some are
// held when the run is stopped.
class forwarding_bursts : public test::forwarding_fixture, public testing::WithParamInterface<std::uint32_t> {};

TEST_P(forwarding_bursts, lose_no_packet) {
  config_.burst = GetParam();
  send(700);
  run([&](data_plane& plane, auto&) {
    send(100);
    collect();
    if (plane.totals().rx_packets > 3 && stop_requested() == stop_request::none) request_stop();
  });
  collect();
  EXPECT_GT(totals_.tx_packets, 3u);
  EXPECT_THAT(drops_, IsEmpty());
  EXPECT_EQ(arrived_, numbers(totals_.rx_packets));
}

INSTANTIATE_TEST_SUITE_P(of, forwarding_bursts, testing::Values(1, 2, 3, 7, 8, 9, 33, 1024, 8192),
                         testing::PrintToStringParamName());

INSTANTIATE_TEST_SUITE_P(with, forwarding,
                         testing::Values(arrangement::run_to_completion, arrangement::pair, arrangement::pair_cpu,
                                         arrangement::isolated_rx),
                         [](auto const& given) {
                           std::string name{to_string(given.param)};
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace packetwarp
