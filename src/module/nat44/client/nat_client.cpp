// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/nat44/client/nat_client.h"

#include <fmt/format.h>

#include <array>

#include "module/client/cells.h"

namespace packetwarp {

namespace help {
extern std::string_view const nat;  // nat.txt
}

namespace {

constexpr char nat_form[] = "{:<13}  {:<21}  {:<21}  {:<10}  {:>9}  {:>9}  {:>9}";
constexpr char session_form[] = "{:<8}  {:<21}  {:<21}  {:>6}  {}";

// 0 stands for any number.
[[nodiscard]] std::string limit_of(json const& limits, char const* key) {
  return limits.value(key, std::uint64_t{}) == 0 ? "any number" : count_of(limits, key);
}

[[nodiscard]] std::string nat_summary(json const& page) {
  auto const sessions = page.find("sessions");
  if (sessions == page.end()) return {};
  auto const of = [&](char const* key) { return count_of(*sessions, key); };
  auto const& limits = page.at("limits");
  auto const& settings = page.at("settings");
  auto const& timeouts = settings.at("timeouts");
  auto text = fmt::format("sessions   {} of {}: udp {}, tcp {}, icmp {}; {} of them configured\n", of("live"),
                          of("room"), of("udp"), of("tcp"), of("icmp"), of("configured"));
  text += fmt::format("           made {}, ended {} ({} early), not tracked {}, not logged {}, conflicts {}\n",
                      of("made"), of("ended"), of("evicted"), of("untracked"), of("unlogged"), of("conflicts"));
  text += fmt::format(
      "limits     sessions of a host {}, of a /{} {}; ports {} to {} of each address and protocol, of a /{} {}\n",
      limit_of(limits, "sessions_per_host"), number_of(limits, "share_prefix"), limit_of(limits, "sessions_per_prefix"),
      number_of(limits, "first_port"), number_of(limits, "last_port"), number_of(limits, "share_prefix"),
      limit_of(limits, "ports_per_prefix"));
  text += fmt::format("settings   filtering {}, pooling {}, forwarding {}\n", word_of(settings, "filtering"),
                      word_of(settings, "pooling"), settings.value("forwarding", false) ? "on" : "off");
  return text + fmt::format("time-outs  udp {} s, tcp {} s established and {} s else, icmp {} s\n\n",
                            number_of(timeouts, "udp"), number_of(timeouts, "tcp_established"),
                            number_of(timeouts, "tcp_transitory"), number_of(timeouts, "icmp"));
}

[[nodiscard]] std::string nat_line(json const& row) {
  auto const use = word_of(row, "use");
  auto const protocol = word_of(row, "protocol");
  return fmt::format(nat_form, protocol == "-" ? use : "forward " + protocol, word_of(row, "outside"),
                     word_of(row, "inside"), word_of(row, "interface"), count_of(row, "udp"), count_of(row, "tcp"),
                     count_of(row, "icmp"));
}

[[nodiscard]] listing nat_listing() {
  return {
      .rows = "outside",
      .heading = fmt::format(nat_form, "use", "outside", "inside", "interface", "udp ports", "tcp ports", "icmp ids"),
      .line = nat_line,
      .above = nat_summary};
}

[[nodiscard]] std::string session_line(json const& one) {
  auto const word = [&](char const* key) { return one.value(key, std::string{}); };
  bool const is_configured = word("origin") == "configured";
  return fmt::format(session_form, word("protocol"), word("inside"), word("outside"),
                     is_configured ? "-" : std::to_string(one.value("idle", 0U)),
                     is_configured ? word("origin") : word("state"));
}

[[nodiscard]] listing session_listing() {
  return {.rows = "sessions",
          .heading = fmt::format(session_form, "protocol", "inside", "outside", "idle s", "state"),
          .line = session_line};
}

[[nodiscard]] std::string stats_text(json const& said) {
  auto const count = [&](char const* key) { return said.at(key).get<std::uint64_t>(); };
  return fmt::format("sessions  {} of {}: udp {}, tcp {}, icmp {}; {} of them configured\n", count("live"),
                     count("room"), count("udp"), count("tcp"), count("icmp"), count("configured")) +
         fmt::format("made {}   ended {}, {} of them early   not tracked {}   not logged {}   conflicts {}\n",
                     count("made"), count("ended"), count("evicted"), count("untracked"), count("unlogged"),
                     count("conflicts"));
}

[[nodiscard]] std::string saved_text(json const& said) {
  return fmt::format("{} sessions saved to {}\n", said.at("saved").get<std::uint64_t>(),
                     said.at("file").get<std::string>());
}

[[nodiscard]] std::vector<std::string> nat_lines(telemetry::report_change const& seen) {
  using namespace telemetry;
  auto const& nat = part(seen.now(), "nat");
  if (!nat.is_object()) return {};
  auto const& before = part(seen.before(), "nat");
  auto const rate = [&](char const* key) { return rate_text(seen.rate(number(before, key), number(nat, key)), "/s"); };
  return {fmt::format("NAT      {} of {} sessions: udp {}, tcp {}, icmp {}   made {}   ended {}",
                      with_separators(count(nat, "live")), with_separators(count(nat, "room")),
                      with_separators(count(nat, "udp")), with_separators(count(nat, "tcp")),
                      with_separators(count(nat, "icmp")), rate("made"), rate("ended"))};
}

constexpr std::array nouns_of_nat{shown_noun{
    .name = "nat",
    .help = "  nat                      outside addresses with their ports in use, mappings, limits ('packetwarp nat' "
            "lists sessions)\n",
    .rows = nat_listing,
    .of_one_moment = "mappings"}};

constexpr std::array session_filters{client_option{"inside"}, client_option{"outside"}, client_option{"protocol"}};
constexpr std::array save_options{client_option{"file", client_option::kind::path}};
constexpr std::array nat_tasks{
    client_task{
        .name = "sessions", .options = session_filters, .effect = request_effect::reads, .rows = session_listing},
    client_task{.name = "stats", .effect = request_effect::reads, .text = stats_text},
    client_task{.name = "save", .options = save_options, .text = saved_text}};

}  // namespace

module_client nat_client() {
  static std::array const commands{client_command{
      .name = "nat", .summary = "the sessions of a running network", .page = help::nat, .tasks = nat_tasks}};
  return {.nouns = nouns_of_nat, .commands = commands, .screen = {.lines = nat_lines}};
}

}  // namespace packetwarp
