// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "telemetry/live_line.h"
#include "telemetry/sample_report.h"
#include "telemetry/some_part.h"
#include "telemetry/text_table.h"

namespace packetwarp::telemetry {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(run_report_text, reads_like_this) {
  EXPECT_EQ(to_text(sample_report()),
            R"report(packetwarp 0.1.0 l2fwd: executor cpu, placement host, bursts of 32; ended by packets

rate     1.60 Mpps   819 Mb/s L2 (with FCS) / 1.08 Gb/s L1 (+20 B framing)   measured over 500 us: rx 810, tx 800
packets  rx 1,000   tx 980   punted 3   in flight 5   dropped 12 (runt 12)
latency  p50 2.10 us   p99 9.75 us   p99.9 1.23 ms   from rx to ready to send
checked  1,234 packets of the GPU's, byte by byte with the CPU's: 2 DIFFER
gpu      failed under 1 of 2 pipelines, whose packets the CPU handled from then on

pipeline  from          to               rx   tx  punted  bursts  mean burst  ring full      p50      p99    p99.9  dropped
       0  port 0 rxq 0  port 1 txq 0  1,000  980       3      50        20.0          2  2.10 us  9.75 us  1.23 ms  12 (runt 12)
       1  port 1 rxq 0  port 0 txq 0      0    0       0       0         0.0          0        -        -        -  none

lcore  role        busy  cycles/packet      loops  jobs
    0  master         -              -          0  -
    1  forwarding  87 %           61.2  1,234,567  receive 0, execute 0, transmit 0

big loops of lcore 1: 3 over 100 us, the longest 1.20 ms in execute 0, 3.21 s after the start; execute 0 2, receive 0 1
big loops of the master: 1 over 2.00 ms, the longest 2.50 ms, 0.50 s after the start
lcore 1 did not answer 2 of the master's messages in time

port  name          driver    rx packets  tx packets  rx bytes  tx bytes  imissed  ierrors  oerrors  rx_nombuf
   0  net_null0     net_null       1,000           0    60,000         0        0        0        0          0
   1  0000:b5:00.0  mlx5_pci           0         980         0    58,800        1        2        3          4
missed by port 1: rxq 1 1
port 1 (0000:b5:00.0): started again 5 times after its physical function was reset

host: A Processor, 2 CPUs, TSC 2.50 GHz, 1 NUMA node, 16.0 GiB, 512 x 2.00 MiB hugepages, GPU 0 GPU X (CUDA 12.9, driver 13.0), A Distribution 12, kernel 6.1.0, DPDK 22.11.7, gcc 12.2.0
note: the TSC is not invariant
)report");
}

TEST(run_report_text, says_so_when_packets_are_missing) {
  auto report = sample_report();
  report.packets.dropped.clear();
  auto const text = to_text(report);
  EXPECT_THAT(text, HasSubstr("dropped none"));
  EXPECT_THAT(text, HasSubstr("NOT CONSERVED: 1,000 came, 988 are accounted for"));
  EXPECT_THAT(to_text(sample_report()), Not(HasSubstr("NOT CONSERVED")));
}

TEST(run_report_text, says_which_punts_were_refused) {
  auto report = sample_report();
  report.control.emplace();
  report.control->classes = {{"neighbours", 5, 0, 0}, {"own_addresses", 7, 3, 12'000}, {"fragments", 1, 1, 0}};
  auto const text = to_text(report);
  EXPECT_THAT(text, HasSubstr("         refused own_addresses: 12,000 beyond their limit, 3 without room\n"
                              "                 fragments: 0 beyond their limit, 1 without room\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("neighbours")));
}

TEST(run_report_text, has_lines_of_modules_and_their_tables_behind_those_of_ports) {
  auto report = sample_report();
  report.parts = {std::make_shared<some_part>()};
  auto const text = to_text(report);
  auto const line = text.find("some     7 things\n"), table = text.find("\nthings\n     7\n");
  ASSERT_NE(line, std::string::npos);
  ASSERT_NE(table, std::string::npos);
  EXPECT_LT(text.find("packets  rx"), line);
  EXPECT_LT(line, text.find("pipeline  "));
  EXPECT_LT(text.find("imissed"), table);
  EXPECT_LT(table, text.find("\nhost: "));
}

TEST(run_report_text, says_which_ports_are_gone) {
  run_report r;
  r.ports = {{.id = 0, .name = "a", .state = "down"},
             {.id = 1, .name = "b", .state = "removed"},
             {.id = 2, .name = "c", .state = "lost"}};
  auto const text = to_text(r);
  EXPECT_THAT(text,
              HasSubstr("\nport 1 (b): its device was taken away\nport 2 (c): its kernel interface was deleted\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("port 0 (a)")));
}

TEST(run_report_text, says_which_ports_were_started_again) {
  run_report r;
  r.ports = {{.id = 0, .name = "a"}, {.id = 1, .name = "b", .restarts = 1}, {.id = 2, .name = "c", .restarts = 7}};
  auto const text = to_text(r);
  EXPECT_THAT(text, HasSubstr("\nport 1 (b): started again 1 time after its physical function was reset\n"
                              "port 2 (c): started again 7 times after its physical function was reset\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("port 0 (a)")));
}

TEST(run_report_text, of_a_run_without_time_or_packets_has_zeros_and_no_tables) {
  EXPECT_EQ(to_text(run_report{.command = "l2fwd",
                               .version = "0.1.0",
                               .executor = "none",
                               .placement = "host",
                               .burst = 1,
                               .ended_by = "signal"}),
            "packetwarp 0.1.0 l2fwd: executor none, placement host, bursts of 1; ended by signal\n"
            "\n"
            "rate     0 pps   0 b/s L2 (with FCS) / 0 b/s L1 (+20 B framing)   measured over 0 ns: rx 0, tx 0\n"
            "packets  rx 0   tx 0   punted 0   in flight 0   dropped none\n"
            "latency  none: no packet was measured\n"
            "\n"
            "host: unknown\n");
}

TEST(run_report_text, does_not_print_a_cost_that_is_no_number) {
  auto report = sample_report();
  report.workers[1].cycles_per_packet = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(to_text(report), Not(HasSubstr("nan")));
}

TEST(live_line, keeps_its_columns) {
  EXPECT_EQ(live_line({.elapsed_seconds = 1,
                       .seconds = 1,
                       .rx_packets = 14'880'952,
                       .tx = {.packets = 14'880'952, .bytes = 14'880'952ull * 60},
                       .dropped = 0,
                       .in_flight = 64}),
            "    1.0 s   rx 14.9 Mpps   tx 14.9 Mpps   10.0 Gb/s L1   dropped      0 pps   in flight     64");
  EXPECT_EQ(live_line({.elapsed_seconds = 12.04, .seconds = 2, .rx_packets = 2'468, .dropped = 2'468}),
            "   12.0 s   rx 1.23 kpps   tx     0 pps       0 b/s L1   dropped  1.23 kpps   in flight      0");
}

TEST(live_line, has_no_rates_where_no_time_passed) {
  EXPECT_EQ(live_line({.rx_packets = 5, .tx = {.packets = 5, .bytes = 300}}),
            "    0.0 s   rx     0 pps   tx     0 pps       0 b/s L1   dropped      0 pps   in flight      0");
}

TEST(text_table, is_as_wide_as_its_widest_cells_and_has_no_trailing_blanks) {
  text_table table{{{"n"}, {"name", text_table::align::left}, {"last", text_table::align::left}}};
  table.add_row({"1", "a", "x"});
  table.add_row({"100", "longer", ""});
  EXPECT_EQ(table.text(),
            "  n  name    last\n"
            "  1  a       x\n"
            "100  longer\n");
}

TEST(with_separators, groups_by_three) {
  EXPECT_EQ(with_separators(0), "0");
  EXPECT_EQ(with_separators(999), "999");
  EXPECT_EQ(with_separators(1'000), "1,000");
  EXPECT_EQ(with_separators(123'456'789), "123,456,789");
  EXPECT_EQ(with_separators(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

TEST(with_unit, puts_a_blank_before_the_unit_or_its_prefix) {
  EXPECT_EQ(with_unit(640, "pps"), "640 pps");
  EXPECT_EQ(with_unit(14.88e6, "pps"), "14.9 Mpps");
  EXPECT_EQ(with_unit(0, "b/s"), "0 b/s");
}

}  // namespace
}  // namespace packetwarp::telemetry
