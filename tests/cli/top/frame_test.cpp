// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/top/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/top/terminal.h"

namespace packetwarp {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

// A router with two workers, two seconds apart.
[[nodiscard]] json report_at(double seconds, std::uint64_t packets) {
  auto const pipeline = [&](int id, std::uint64_t share) {
    return json{{"id", id},
                {"rx_port", id},
                {"rx_queue", 0},
                {"tx_port", nullptr},
                {"tx_queue", 0},
                {"rx", packets * share},
                {"tx", packets * share * 3 / 4},
                {"punted", 0},
                {"dropped", {{"no_route", packets * share / 4}}},
                {"bursts", packets * share / 20},
                {"ring_full", packets / 1000},
                {"latency_us", {{"p50", 1.5}, {"p99", 6.0}, {"p999", 20.0}}}};
  };
  auto const worker = [&](int lcore, double busy) {
    auto const name = "receive " + std::to_string(lcore - 1);
    return json{{"lcore", lcore},
                {"role", "forwarding"},
                {"jobs", {name}},
                {"stages", {{{"name", name}, {"calls", packets / 20}, {"packets", packets}, {"cycles", packets * 55}}}},
                {"busy", busy},
                {"cycles_per_packet", 100.0},
                {"loops", packets * 2}};
  };
  auto const port = [&](int id) {
    return json{{"id", id},
                {"name", "net_null" + std::to_string(id)},
                {"rx_packets", packets},
                {"tx_packets", packets},
                {"rx_bytes", packets * 60},
                {"tx_bytes", packets * 60},
                {"imissed", 7},
                {"ierrors", 0},
                {"oerrors", 0},
                {"rx_nombuf", 0}};
  };
  auto const rule = [&](int number, json const& hits) {
    return json{{"port", 0},     {"number", number}, {"line", number + 1}, {"group", 0},
                {"priority", 0}, {"on", "cpu"},      {"hits", hits},       {"bytes", hits}};
  };
  return {
      {"version", "1.2"},
      {"command", "run"},
      {"executor", "cpu"},
      {"placement", "host"},
      {"burst", 32},
      {"elapsed_seconds", seconds},
      {"packets",
       {{"rx", packets * 4},
        {"tx", packets * 3},
        {"punted", 0},
        {"in_flight", 32},
        {"dropped", {{"no_route", packets}, {"runt", 5}}}}},
      {"latency_us", {{"p50", 1.5}, {"p99", 6.0}, {"p999", 20.0}}},
      {"failed_over", 0},
      {"pipelines", {pipeline(0, 1), pipeline(1, 3)}},
      {"workers", {worker(1, 0.5), worker(2, seconds < 3 ? 0.25 : 0.625)}},
      {"ports", {port(0), port(1)}},
      {"control", {{"dropped", {{"arp_taken", packets / 100}, {"no_way_back", 3}}}}},
      {"nat",
       {{"live", 64}, {"room", 65536}, {"udp", 60}, {"tcp", 4}, {"icmp", 0}, {"made", packets / 1000}, {"ended", 0}}},
      {"rules", {rule(0, nullptr), rule(1, packets / 10), rule(2, packets / 2)}}};
}

class frame_test : public testing::Test {
 protected:
  [[nodiscard]] static top_page page_called(std::string_view name) {
    auto const all = top_pages();
    return static_cast<top_page>(std::ranges::find(all, name) - all.begin());
  }
  // Two seconds, in which a million packets come by each of four ways.
  top_sample before_{report_at(2, 1000000), {}};
  top_sample now_{report_at(4, 2000000), {}};
  top_view view_;

  [[nodiscard]] std::vector<std::string> show(std::size_t columns = 200, std::size_t lines = 60) {
    return frame(&before_, now_, view_, columns, lines);
  }
  // The fields of the line that begins with `begin`.
  [[nodiscard]] std::string line(std::string const& begin, std::size_t nth = 0) {
    for (auto const& one : show()) {
      auto text = one.substr(std::min(one.find_first_not_of(' '), one.size()));
      text.erase(std::unique(text.begin(), text.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
                 text.end());
      if (text.starts_with(begin) && nth-- == 0) return text;
    }
    return {};
  }
};

TEST_F(frame_test, is_as_large_as_the_screen_whatever_is_shown) {
  for (std::size_t page = 0; page < top_pages().size(); ++page) {
    view_.page = static_cast<top_page>(page);
    for (auto const& [columns, lines] : {std::pair{80, 24}, {40, 10}, {1, 1}, {0, 0}, {300, 100}, {80, 3}}) {
      auto const shown = show(static_cast<std::size_t>(columns), static_cast<std::size_t>(lines));
      EXPECT_EQ(shown.size(), static_cast<std::size_t>(lines));
      for (auto const& one : shown) EXPECT_LE(one.size(), static_cast<std::size_t>(columns));
    }
  }
}

TEST_F(frame_test, has_what_matters_most_on_80_columns_and_24_lines) {
  auto const shown = show(80, 24);
  EXPECT_THAT(shown[0], StartsWith("packetwarp 1.2 run: executor cpu, placement host, bursts of 32   up 4.00 s"));
  EXPECT_THAT(shown, Contains(StartsWith("rate     rx 2.00 Mpps   tx 1.50 Mpps   punted 0 pps   dropped 500 kpps")));
  EXPECT_THAT(shown, Contains(StartsWith("latency  p50 1.50 us   p99 6.00 us   p99.9 20.0 us")));
  EXPECT_THAT(shown, Contains(StartsWith("NAT      64 of 65,536 sessions: udp 60, tcp 4, icmp 0   made 500")));
  EXPECT_THAT(shown[1], testing::EndsWith("rules  1.00 s, by number"));
  EXPECT_THAT(shown.back(), testing::EndsWith("space refresh"));
}

TEST_F(frame_test, says_which_ports_are_not_up) {
  view_.page = top_page::ports;
  EXPECT_THAT(show(120, 60), Not(Contains(HasSubstr("net_null0 ("))));
  now_.report["ports"][0]["state"] = "removed";
  now_.report["ports"][1]["state"] = "up";
  auto const shown = show(120, 60);
  EXPECT_THAT(shown, Contains(HasSubstr("net_null0 (removed)")));
  EXPECT_THAT(shown, Not(Contains(HasSubstr("net_null1 ("))));
}

TEST_F(frame_test, cuts_no_figure_off_on_80_columns) {
  // Counts of days at full rate.
  auto& ports = now_.report["ports"];
  for (auto& one : ports) one["imissed"] = one["ierrors"] = one["oerrors"] = one["rx_nombuf"] = 123456789012;
  auto& packets = now_.report["packets"];
  for (auto const* key : {"rx", "tx"}) packets[key] = 209829964992;
  packets["dropped"]["no_route"] = 1234567890;
  // Every heading is whole, above its figures.
  auto const has_figure = [&](top_page page, std::string const& heading, std::string const& figure) {
    view_.page = page;
    auto const shown = show(80, 60);
    auto const above = std::ranges::find_if(
        shown, [&](auto const& one) { return one.find(heading) != one.npos && one.find("packets  ") == one.npos; });
    ASSERT_NE(above, shown.end()) << heading;
    auto const end = above->find(heading) + heading.size();
    EXPECT_EQ((above + 1)->substr(0, end).substr(end - std::min(end, figure.size())), figure) << heading;
  };
  for (auto const page : {top_page::ports, top_page::overview}) {
    for (auto const* heading : {"missed", "errors in", "errors out", "no mbuf"})
      has_figure(page, heading, "123,456,789,012");
  }
  has_figure(top_page::pipelines, "  p50", "1.50 us");
  has_figure(top_page::pipelines, "  p99", "6.00 us");
  has_figure(top_page::pipelines, "p99.9", "20.0 us");
  view_.page = top_page::overview;
  EXPECT_THAT(show(80, 60), Contains("         dropped 1,234,567,895"));
}

TEST_F(frame_test, has_rates_between_the_samples_and_none_without_an_earlier_one) {
  view_.page = top_page::pipelines;
  EXPECT_EQ(line("0 0/0"), "0 0/0 any 500 kpps 375 kpps 125 kpps 20.0 500 /s 1.50 us 6.00 us 20.0 us");
  EXPECT_THAT(line("1 1/0"), StartsWith("1 1/0 any 1.50 Mpps"));
  auto const first = frame(nullptr, now_, view_, 200, 24);
  EXPECT_THAT(first, Contains(AllOf(HasSubstr("0/0   any   -   -        -"), HasSubstr("20.0"))));
}

TEST_F(frame_test, has_the_busy_share_of_the_time_in_between) {
  view_.page = top_page::workers;
  EXPECT_THAT(line("1 forwarding"), StartsWith("1 forwarding 50.0 % 1.00 M/s 100 receive 0"));
  EXPECT_THAT(line("2 forwarding"), StartsWith("2 forwarding 100.0 %")) << "0.25 of 2 s, then 0.625 of 4 s";
}

TEST_F(frame_test, has_stages_as_they_were_in_between) {
  view_.page = top_page::workers;
  EXPECT_EQ(line("1 receive"), "1 receive 0 50,000 1,000,000 20.0 55.0");
}

TEST_F(frame_test, has_drops_by_name_and_the_control_plane_s) {
  view_.page = top_page::drops;
  EXPECT_EQ(line("no_route"), "no_route 500 kpps 2,000,000");
  EXPECT_EQ(line("runt"), "runt 0 pps 5");
  EXPECT_EQ(line("no_way_back"), "no_way_back (control plane) 0 pps 3");
  EXPECT_EQ(line("arp_taken"), "arp_taken 5.00 kpps 20,000") << "which is no drop";
  auto const shown = show();
  auto const row = [&](std::string_view begin) {
    return std::ranges::find_if(shown, [&](auto const& one) { return one.starts_with(begin); });
  };
  EXPECT_LT(row("no_way_back"), row("handled by the control plane"));
  EXPECT_LT(row("handled by the control plane"), row("arp_taken"));
}

TEST_F(frame_test, has_ports_with_what_a_line_would_carry) {
  view_.page = top_page::ports;
  // 84 bytes per packet, 500,000 packets per second.
  EXPECT_EQ(line("0 net_null0"), "0 net_null0 500 kpps 500 kpps 336 Mb/s 336 Mb/s 7 0 0 0");
}

TEST_F(frame_test, sorts_by_rate_when_told_to) {
  view_.page = page_called("rules");
  EXPECT_THAT(line("0 ", 0), StartsWith("0 0 1 0 0 cpu - - -")) << "counts nothing";
  EXPECT_THAT(line("0 ", 2), StartsWith("0 2 3 0 0 cpu 1,000,000 250 kpps"));
  view_.sort = top_sort::by_rate;
  EXPECT_THAT(line("0 ", 0), StartsWith("0 2 3"));
  EXPECT_THAT(line("0 ", 1), StartsWith("0 1 2"));
}

TEST_F(frame_test, scrolls_to_the_end_and_no_further) {
  view_.first_line = 1000;
  auto const shown = show(80, 10);
  EXPECT_LT(view_.first_line, 100u);
  EXPECT_THAT(shown[shown.size() - 2], HasSubstr("net_null1"));
  view_.first_line = 0;
  EXPECT_THAT(show(80, 10)[3], StartsWith("rate"));
}

TEST_F(frame_test, says_that_it_is_paused) {
  EXPECT_THAT(show()[1], HasSubstr("  1.00 s, by"));
  view_.pace = top_pace::paused;
  EXPECT_THAT(show()[1], HasSubstr("PAUSED"));
}

TEST_F(frame_test, has_gpus_where_there_are) {
  EXPECT_THAT(show(), Each(Not(StartsWith("GPU"))));
  now_.gpus.push_back({.name = "0 (H200)",
                       .busy_percent = 97,
                       .memory_used = std::uint64_t{1} << 30,
                       .memory_total = std::uint64_t{4} << 30,
                       .pcie_in = 2000000000,
                       .pcie_out = 1500000000});
  EXPECT_THAT(show(),
              Contains("GPU      0 (H200): busy 97 %, memory 1.00 GiB of 4.00 GiB, PCIe in 2.00 GB/s, out 1.50 GB/s"));
  now_.gpus[0].pcie_in.reset();
  EXPECT_THAT(show(), Contains("GPU      0 (H200): busy 97 %, memory 1.00 GiB of 4.00 GiB"));
}

TEST_F(frame_test, shows_no_control_characters_of_names) {
  now_.report["ports"][0]["name"] = "\x1b[2J\n\xc3\xa4";
  for (auto const& one : show()) {
    EXPECT_TRUE(std::all_of(one.begin(), one.end(), [](char c) { return c >= ' ' && c <= '~'; })) << one;
  }
}

TEST_F(frame_test, bears_reports_of_another_version) {
  for (auto const* odd :
       {"{}", "[]", "null", "7", R"({"packets":3,"workers":{"a":1},"pipelines":[1,null,"x",[]],"ports":"no",
       "nat":[],"rules":{"a":{}},"elapsed_seconds":"soon","control":{"dropped":[1]},"latency_us":5})"}) {
    now_.report = json::parse(odd);
    for (std::size_t page = 0; page < top_pages().size(); ++page) {
      view_.page = static_cast<top_page>(page);
      EXPECT_THAT(show(80, 24), SizeIs(24)) << odd;
    }
    EXPECT_FALSE(plain_frame(&before_, now_).empty());
    EXPECT_FALSE(plain_frame(nullptr, now_).empty());
  }
}

TEST_F(frame_test, counts_that_begin_anew_have_no_negative_rate) {
  std::swap(before_.report["packets"], now_.report["packets"]);
  EXPECT_THAT(show(), Contains(StartsWith("rate     rx 0 pps")));
}

TEST_F(frame_test, plainly_has_all_pages) {
  auto const all = plain_frame(&before_, now_);
  for (auto const* words :
       {"rate     rx 2.00 Mpps", "mean burst", "cycles/packet", "no_route", "net_null1", "NAT   ", "priority"}) {
    EXPECT_THAT(all, HasSubstr(words));
  }
  EXPECT_THAT(all, Not(HasSubstr("\x1b")));
}

TEST(key_reader, knows_keys_however_they_come) {
  key_reader keys;
  EXPECT_EQ(keys.next(), key::none);
  keys.take("pxs\x1b[C\x1b[A");
  for (auto const expected : {key::pause, key::sort, key::next_page, key::up, key::none})
    EXPECT_EQ(keys.next(), expected);
  keys.take("\x1b");
  EXPECT_EQ(keys.next(), key::none) << "the rest may come yet";
  keys.take("[");
  EXPECT_EQ(keys.next(), key::none);
  keys.take("Z\t q");
  for (auto const expected : {key::previous_page, key::next_page, key::refresh, key::quit})
    EXPECT_EQ(keys.next(), expected);
  keys.take("\x1b[99~q");
  EXPECT_EQ(keys.next(), key::quit) << "what is not known is passed over";
}

}  // namespace
}  // namespace packetwarp
