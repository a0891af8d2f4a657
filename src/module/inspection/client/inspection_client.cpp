// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/inspection/client/inspection_client.h"

#include <fmt/format.h>

#include <array>

#include "module/client/cells.h"
#include "telemetry/ranked_table.h"

namespace packetwarp {
namespace {

constexpr char sid_form[] = "{:>12}  {:>4}  {:<7}  {:>14}  {:>14}  {}\n";

[[nodiscard]] std::string unjudged_line(json const& said) {
  std::string text;
  for (auto const& [name, count] : said.at("unjudged").items()) {
    if (count == 0) continue;
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", telemetry::with_separators(count.get<std::uint64_t>()), name);
  }
  return fmt::format("unjudged  {}\n", text.empty() ? "nothing" : text);
}

[[nodiscard]] std::string inspection_text(json const& said) {
  auto text = fmt::format("rules     {} of {} used, verdicts: {}\n", count_of(said, "rules_used"),
                          count_of(said, "rules_read"), word_of(said, "verdicts"));
  text += fmt::format("packets   {} judged: {} dropped, {} rejected, {} let pass\n", count_of(said, "packets"),
                      count_of(said, "dropped"), count_of(said, "rejected"), count_of(said, "passed"));
  text += fmt::format("partly    {} without IP, {} fragments, {} cut short, {} without a place for their flow\n",
                      count_of(said, "packets_without_ip"), count_of(said, "fragments_by_header_only"),
                      count_of(said, "packets_cut_short"), count_of(said, "packets_without_flow_place"));
  text += fmt::format("bypassed  {} packets of {} flows\n", count_of(said, "packets_bypassed"),
                      count_of(said, "flows_bypassed"));
  auto const& streams = said.at("streams");
  text += fmt::format("streams   {} followed in {} bytes; given up: {} for places, {} for bytes; {} messages of HTTP\n",
                      count_of(streams, "followed"), count_of(streams, "bytes"),
                      count_of(streams, "streams_given_up_for_places"), count_of(streams, "streams_given_up_for_bytes"),
                      count_of(streams, "http_messages"));
  text += unjudged_line(said);
  text += fmt::format("alerts    {} made, {} lost\n", count_of(said, "alerts"), count_of(said.at("events"), "lost"));
  auto const& rules = rows_of(said, "by_rule");
  if (rules.empty()) return text;
  text += '\n' + fmt::format(sid_form, "sid", "gid", "action", "matches", "alerts", "message");
  for (auto const& one : rules) {
    text += fmt::format(sid_form, number_of(one, "sid"), number_of(one, "gid"), word_of(one, "action"),
                        count_of(one, "matches"), count_of(one, "alerts"), word_of(one, "message"));
  }
  return text;
}

[[nodiscard]] std::vector<std::string> sid_table(telemetry::report_change const& seen, telemetry::row_order order,
                                                 std::size_t width) {
  using namespace telemetry;
  constexpr auto left = text_table::align::left;
  ranked_table table{{{"sid"}, {"gid"}, {"action", left}, {"rate"}, {"matches"}, {"alerts"}, {"message", left}}, 3};
  auto const& earlier = part(part(seen.before(), "inspect"), "by_rule");
  for (auto const& one : part(part(seen.now(), "inspect"), "by_rule")) {
    auto const rate = seen.rate(number(like(earlier, one, {"gid", "sid"}), "matches"), number(one, "matches"));
    table.add(rate,
              {text(one, "sid"), text(one, "gid"), text(one, "action"), rate_text(rate, "/s"),
               with_separators(count(one, "matches")), with_separators(count(one, "alerts")), text(one, "message")});
  }
  return table.lines(order, width);
}

[[nodiscard]] std::vector<std::string> inspection_lines(telemetry::report_change const& seen) {
  using namespace telemetry;
  auto const& now = part(seen.now(), "inspect");
  if (!now.is_object()) return {};
  auto const& before = part(seen.before(), "inspect");
  auto const rate = [&](char const* key, char const* unit) {
    return rate_text(seen.rate(number(before, key), number(now, key)), unit);
  };
  return {fmt::format("inspect  {}, {} dropped, {} rejected of {} judged", rate("alerts", "alerts/s"),
                      rate("dropped", "pps"), rate("rejected", "pps"), rate("packets", "pps"))};
}

constexpr std::array nouns_of_inspection{shown_noun{
    .name = "inspect",
    .help =
        "  inspect                  packets that rules of intrusion detection have judged, alerts, and the matches\n"
        "                           of each rule\n",
    .text = inspection_text}};

}  // namespace

module_client inspection_client() {
  return {.nouns = nouns_of_inspection, .screen = {.lines = inspection_lines, .page = "inspect", .table = sid_table}};
}

}  // namespace packetwarp
