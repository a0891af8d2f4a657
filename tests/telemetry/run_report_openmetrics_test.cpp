// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "telemetry/run_report.h"
#include "telemetry/some_part.h"

namespace packetwarp::telemetry {
namespace {

using testing::HasSubstr;
using testing::Not;

[[nodiscard]] std::string openmetrics(run_report const& report) { return to_metrics(report, exposition::openmetrics); }

// A report with every part.
run_report made_report() {
  run_report r;
  r.command = "run";
  r.version = "0.1.0";
  r.executor = "cpu";
  r.placement = "host";
  r.burst = 32;
  r.elapsed_seconds = 2;
  r.packets = {.rx = 1'000, .tx = 980, .punted = 3, .in_flight = 5, .dropped = {{"runt", 12}}};
  r.pipelines = {{.id = 0,
                  .interface = "left",
                  .rx = 1'000,
                  .tx = 980,
                  .punted = 4,
                  .dropped = {{"runt", 12}},
                  .drop_names = {"tx_full", "runt"},
                  .bursts = 50,
                  .ring_full = 2}};
  r.pipelines[0].latency.at_most.fill(900);
  r.pipelines[0].latency.at_most[0] = 100;
  r.pipelines[0].latency.packets = 980;
  r.pipelines[0].latency.seconds = 0.25;
  r.workers = {{.lcore = 1,
                .role = "forwarding",
                .stages = {{.name = "receive 0", .calls = 10, .packets = 200, .cycles = 5'000}},
                .busy_cycles = 700,
                .idle_cycles = 800,
                .busy = 0.5,
                .loops = 77}};
  r.ports = {{.id = 0,
              .name = "a \"port\"\\\n\xff",
              .interface = "left",
              .driver = "net_null",
              .state = "down",
              .rx_packets = 1'000,
              .tx_packets = 980,
              .rx_bytes = 60'000,
              .tx_bytes = 58'800,
              .imissed = 1,
              .ierrors = 2,
              .oerrors = 3,
              .rx_nombuf = 4,
              .restarts = 5,
              .rx_queues = {{.queue = 0, .packets = 600}, {.queue = 1, .packets = 400, .missed = 1}}}};
  r.control = control_report{.punted = {{"arp", 4}},
                             .sent = 6,
                             .put_back = 1,
                             .dropped = {{"arp_taken", 3}},
                             .punt_names = {"to_kernel", "arp"},
                             .drop_names = {"no_room", "arp_taken"}};
  r.twins = {{.name = "left",
              .port = 0,
              .state = "lost",
              .to_kernel = 8,
              .dropped_in = {{"kernel_lost", 2}},
              .from_kernel = 7,
              .sent = 6,
              .dropped_out = {{"tx_full", 1}}}};
  r.parts = {std::make_shared<some_part>()};
  return r;
}

constexpr std::string_view wanted = R"om(# TYPE packetwarp_build info
# HELP packetwarp_build What runs.
packetwarp_build_info{version="0.1.0",command="run",executor="cpu",placement="host",burst="32"} 1
# TYPE packetwarp_uptime_seconds gauge
# UNIT packetwarp_uptime_seconds seconds
# HELP packetwarp_uptime_seconds Since the start.
packetwarp_uptime_seconds 2.0
# TYPE packetwarp_packets_received counter
# HELP packetwarp_packets_received Packets received from a port.
packetwarp_packets_received_total{pipeline="0",interface="left"} 1000
# TYPE packetwarp_packets_sent counter
# HELP packetwarp_packets_sent Packets taken by a port.
packetwarp_packets_sent_total{pipeline="0",interface="left"} 980
# TYPE packetwarp_packets_punted counter
# HELP packetwarp_packets_punted Packets given to the control plane, each time.
packetwarp_packets_punted_total{pipeline="0",interface="left"} 4
# TYPE packetwarp_packets_handed_over counter
# HELP packetwarp_packets_handed_over Packets given to a pipeline of another GPU, which has their state.
packetwarp_packets_handed_over_total{pipeline="0",interface="left"} 0
# TYPE packetwarp_packets_dropped counter
# HELP packetwarp_packets_dropped Packets dropped, by reason.
packetwarp_packets_dropped_total{pipeline="0",interface="left",reason="tx_full"} 0
packetwarp_packets_dropped_total{pipeline="0",interface="left",reason="runt"} 12
# TYPE packetwarp_packets_in_flight gauge
# HELP packetwarp_packets_in_flight Received, and neither sent nor dropped nor punted yet.
packetwarp_packets_in_flight 5
# TYPE packetwarp_bursts counter
# HELP packetwarp_bursts Bursts of packets formed.
packetwarp_bursts_total{pipeline="0",interface="left"} 50
# TYPE packetwarp_ring_full counter
# HELP packetwarp_ring_full Polls left out because every slot of the burst ring was in use.
packetwarp_ring_full_total{pipeline="0",interface="left"} 2
# TYPE packetwarp_pipelines_failed_over gauge
# HELP packetwarp_pipelines_failed_over Whose GPU failed and whose packets the CPU handles since.
packetwarp_pipelines_failed_over 0
# TYPE packetwarp_packets_checked counter
# HELP packetwarp_packets_checked Packets of the GPU that were compared with the CPU's results.
packetwarp_packets_checked_total 0
# TYPE packetwarp_packets_checked_wrong counter
# HELP packetwarp_packets_checked_wrong Packets among these that differed.
packetwarp_packets_checked_wrong_total 0
# TYPE packetwarp_latency_seconds histogram
# UNIT packetwarp_latency_seconds seconds
# HELP packetwarp_latency_seconds From a burst's first packet received to its verdicts, by packet.
packetwarp_latency_seconds_bucket{pipeline="0",interface="left",le="1e-06"} 100
packetwarp_latency_seconds_bucket{pipeline="0",interface="left",le="2e-06"} 900
packetwarp_latency_seconds_bucket{pipeline="0",interface="left",le="5e-06"} 900
packetwarp_latency_seconds_bucket{pipeline="0",interface="left",le="1e-05"} 900
packetwarp_latency_seconds_bucket{pipeline="0",interface="left",le="2e-05"} 900
packetwarp_latency_seconds_bucket{pipeline="0",interface="left",le="5e-05"} 900
packetwarp_latency_seconds_bucket{pipeline="0",interface="left",le="0.0001"} 900
packetwarp_latency_seconds_bucket{pipeline="0",interface="left",le="0.0002"} 900
packetwarp_latency_seconds_bucket{pipeline="0",interface="left",le="0.0005"} 900
packetwarp_latency_seconds_bucket{pipeline="0",interface="left",le="0.001"} 900
packetwarp_latency_seconds_bucket{pipeline="0",interface="left",le="0.002"} 900
packetwarp_latency_seconds_bucket{pipeline="0",interface="left",le="0.005"} 900
packetwarp_latency_seconds_bucket{pipeline="0",interface="left",le="0.01"} 900
packetwarp_latency_seconds_bucket{pipeline="0",interface="left",le="0.02"} 900
packetwarp_latency_seconds_bucket{pipeline="0",interface="left",le="0.05"} 900
packetwarp_latency_seconds_bucket{pipeline="0",interface="left",le="0.1"} 900
packetwarp_latency_seconds_bucket{pipeline="0",interface="left",le="0.2"} 900
packetwarp_latency_seconds_bucket{pipeline="0",interface="left",le="0.5"} 900
packetwarp_latency_seconds_bucket{pipeline="0",interface="left",le="1.0"} 900
packetwarp_latency_seconds_bucket{pipeline="0",interface="left",le="+Inf"} 980
packetwarp_latency_seconds_count{pipeline="0",interface="left"} 980
packetwarp_latency_seconds_sum{pipeline="0",interface="left"} 0.25
# TYPE packetwarp_worker_busy_ratio gauge
# UNIT packetwarp_worker_busy_ratio ratio
# HELP packetwarp_worker_busy_ratio Share of an lcore's time in loop iterations that moved packets, since the start.
packetwarp_worker_busy_ratio{lcore="1",role="forwarding"} 0.5
# TYPE packetwarp_worker_busy_cycles counter
# HELP packetwarp_worker_busy_cycles TSC cycles of an lcore's loop iterations that moved packets.
packetwarp_worker_busy_cycles_total{lcore="1",role="forwarding"} 700
# TYPE packetwarp_worker_idle_cycles counter
# HELP packetwarp_worker_idle_cycles TSC cycles of an lcore's loop iterations that moved none.
packetwarp_worker_idle_cycles_total{lcore="1",role="forwarding"} 800
# TYPE packetwarp_worker_loops counter
# HELP packetwarp_worker_loops Loop iterations of an lcore.
packetwarp_worker_loops_total{lcore="1",role="forwarding"} 77
# TYPE packetwarp_stage_calls counter
# HELP packetwarp_stage_calls Calls of a job that moved packets, in the timed loop iterations.
packetwarp_stage_calls_total{lcore="1",stage="receive 0"} 10
# TYPE packetwarp_stage_packets counter
# HELP packetwarp_stage_packets Packets that these moved.
packetwarp_stage_packets_total{lcore="1",stage="receive 0"} 200
# TYPE packetwarp_stage_cycles counter
# HELP packetwarp_stage_cycles TSC cycles that these took.
packetwarp_stage_cycles_total{lcore="1",stage="receive 0"} 5000
# TYPE packetwarp_port_up gauge
# HELP packetwarp_port_up 1 while the port is there and its link up.
packetwarp_port_up{port="0",name="a \"port\"\\\n?",interface="left"} 0
# TYPE packetwarp_port_present gauge
# HELP packetwarp_port_present 0 once the port's device was taken away or its kernel interface deleted.
packetwarp_port_present{port="0",name="a \"port\"\\\n?",interface="left"} 1
# TYPE packetwarp_port_packets_received counter
# HELP packetwarp_port_packets_received Packets that the port received (ipackets).
packetwarp_port_packets_received_total{port="0",name="a \"port\"\\\n?",interface="left"} 1000
# TYPE packetwarp_port_packets_sent counter
# HELP packetwarp_port_packets_sent Packets that the port sent (opackets).
packetwarp_port_packets_sent_total{port="0",name="a \"port\"\\\n?",interface="left"} 980
# TYPE packetwarp_port_received_bytes counter
# UNIT packetwarp_port_received_bytes bytes
# HELP packetwarp_port_received_bytes Bytes that the port received (ibytes).
packetwarp_port_received_bytes_total{port="0",name="a \"port\"\\\n?",interface="left"} 60000
# TYPE packetwarp_port_sent_bytes counter
# UNIT packetwarp_port_sent_bytes bytes
# HELP packetwarp_port_sent_bytes Bytes that the port sent (obytes).
packetwarp_port_sent_bytes_total{port="0",name="a \"port\"\\\n?",interface="left"} 58800
# TYPE packetwarp_port_missed counter
# HELP packetwarp_port_missed Packets that found no descriptor (imissed).
packetwarp_port_missed_total{port="0",name="a \"port\"\\\n?",interface="left"} 1
# TYPE packetwarp_port_receive_errors counter
# HELP packetwarp_port_receive_errors Packets received with an error (ierrors).
packetwarp_port_receive_errors_total{port="0",name="a \"port\"\\\n?",interface="left"} 2
# TYPE packetwarp_port_send_errors counter
# HELP packetwarp_port_send_errors Packets that could not be sent (oerrors).
packetwarp_port_send_errors_total{port="0",name="a \"port\"\\\n?",interface="left"} 3
# TYPE packetwarp_port_no_mbuf counter
# HELP packetwarp_port_no_mbuf Receptions that found no mbuf (rx_nombuf).
packetwarp_port_no_mbuf_total{port="0",name="a \"port\"\\\n?",interface="left"} 4
# TYPE packetwarp_port_restarts counter
# HELP packetwarp_port_restarts Starts of the port after its physical function was reset.
packetwarp_port_restarts_total{port="0",name="a \"port\"\\\n?",interface="left"} 5
# TYPE packetwarp_rx_queue_packets counter
# HELP packetwarp_rx_queue_packets Packets that an RX queue received.
packetwarp_rx_queue_packets_total{port="0",name="a \"port\"\\\n?",interface="left",queue="0"} 600
packetwarp_rx_queue_packets_total{port="0",name="a \"port\"\\\n?",interface="left",queue="1"} 400
# TYPE packetwarp_rx_queue_missed counter
# HELP packetwarp_rx_queue_missed Packets that found no descriptor in an RX queue.
packetwarp_rx_queue_missed_total{port="0",name="a \"port\"\\\n?",interface="left",queue="0"} 0
packetwarp_rx_queue_missed_total{port="0",name="a \"port\"\\\n?",interface="left",queue="1"} 1
# TYPE packetwarp_control_packets_punted counter
# HELP packetwarp_control_packets_punted Packets that came to the control plane, by reason.
packetwarp_control_packets_punted_total{reason="to_kernel"} 0
packetwarp_control_packets_punted_total{reason="arp"} 4
# TYPE packetwarp_control_frames_sent counter
# HELP packetwarp_control_frames_sent Frames that the control plane sent.
packetwarp_control_frames_sent_total 6
# TYPE packetwarp_control_packets_put_back counter
# HELP packetwarp_control_packets_put_back Packets that it put before the function again.
packetwarp_control_packets_put_back_total 1
# TYPE packetwarp_control_packets_dropped counter
# HELP packetwarp_control_packets_dropped The fates of the others, by name.
packetwarp_control_packets_dropped_total{reason="no_room"} 0
packetwarp_control_packets_dropped_total{reason="arp_taken"} 3
# TYPE packetwarp_kernel_interface_present gauge
# HELP packetwarp_kernel_interface_present 0 once a kernel interface beside a port was deleted.
packetwarp_kernel_interface_present{interface="left",port="0"} 0
# TYPE packetwarp_kernel_packets_taken counter
# HELP packetwarp_kernel_packets_taken Packets that a kernel interface took.
packetwarp_kernel_packets_taken_total{interface="left",port="0"} 8
# TYPE packetwarp_kernel_packets_read counter
# HELP packetwarp_kernel_packets_read Packets that came from a kernel interface.
packetwarp_kernel_packets_read_total{interface="left",port="0"} 7
# TYPE packetwarp_kernel_packets_sent counter
# HELP packetwarp_kernel_packets_sent Packets among these that the port took.
packetwarp_kernel_packets_sent_total{interface="left",port="0"} 6
# TYPE packetwarp_kernel_packets_dropped counter
# HELP packetwarp_kernel_packets_dropped Packets dropped between a port and its kernel interface.
packetwarp_kernel_packets_dropped_total{interface="left",port="0",direction="to",reason="kernel_full"} 0
packetwarp_kernel_packets_dropped_total{interface="left",port="0",direction="to",reason="kernel_lost"} 2
packetwarp_kernel_packets_dropped_total{interface="left",port="0",direction="to",reason="shutdown"} 0
packetwarp_kernel_packets_dropped_total{interface="left",port="0",direction="from",reason="tx_full"} 1
packetwarp_kernel_packets_dropped_total{interface="left",port="0",direction="from",reason="tx_chained"} 0
packetwarp_kernel_packets_dropped_total{interface="left",port="0",direction="from",reason="no_tx_queue"} 0
packetwarp_kernel_packets_dropped_total{interface="left",port="0",direction="from",reason="rule_drop"} 0
packetwarp_kernel_packets_dropped_total{interface="left",port="0",direction="from",reason="no_room"} 0
packetwarp_kernel_packets_dropped_total{interface="left",port="0",direction="from",reason="shutdown"} 0
# TYPE packetwarp_some_things counter
# HELP packetwarp_some_things Things of a module's.
packetwarp_some_things_total 7
# EOF
)om";

TEST(run_report_openmetrics, is_exactly_this) { EXPECT_EQ(openmetrics(made_report()), wanted); }

TEST(run_report_openmetrics, is_the_same_samples_as_text) {
  auto const text = to_metrics(made_report(), exposition::text);
  auto const samples_of = [](std::string_view of) {
    std::vector<std::string_view> lines;
    for (; !of.empty(); of.remove_prefix(std::min(of.find('\n') + 1, of.size()))) {
      if (of.front() != '#') lines.push_back(of.substr(0, of.find('\n')));
    }
    return lines;
  };
  EXPECT_EQ(samples_of(text), samples_of(wanted));
  EXPECT_THAT(text, HasSubstr("# TYPE packetwarp_packets_dropped_total counter\n"
                              "# HELP packetwarp_packets_dropped_total Packets dropped, by reason.\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE packetwarp_build_info gauge\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE packetwarp_latency_seconds histogram\n"));
  for (auto const* const none : {"# EOF", "# UNIT", " info\n"}) EXPECT_THAT(text, Not(HasSubstr(none)));
}

TEST(run_report_openmetrics, has_names_of_drops_that_no_list_has) {
  run_report report;
  report.pipelines = {{.dropped = {{"odd", 3}}, .drop_names = {"tx_full"}}};
  auto const text = openmetrics(report);
  EXPECT_THAT(text, HasSubstr("{pipeline=\"0\",reason=\"tx_full\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("{pipeline=\"0\",reason=\"odd\"} 3\n"));
}

TEST(run_report_openmetrics, leaves_out_what_there_is_not) {
  auto const text = openmetrics(run_report{});
  for (auto const* const name : {"control_", "some_"}) EXPECT_THAT(text, Not(HasSubstr(name)));
  EXPECT_TRUE(text.ends_with("# EOF\n"));
}

TEST(run_report_openmetrics, writes_numbers_that_are_none_as_the_format_has_them) {
  run_report report;
  report.workers = {{.busy = std::numeric_limits<double>::quiet_NaN()}};
  EXPECT_THAT(openmetrics(report), HasSubstr("packetwarp_worker_busy_ratio{lcore=\"0\",role=\"\"} NaN\n"));
}

TEST(run_report_openmetrics, keeps_every_digit_of_large_counts) {
  run_report report;
  report.pipelines = {{.rx = std::numeric_limits<std::uint64_t>::max()}};
  EXPECT_THAT(openmetrics(report),
              HasSubstr("packetwarp_packets_received_total{pipeline=\"0\"} 18446744073709551615\n"));
}

}  // namespace
}  // namespace packetwarp::telemetry
