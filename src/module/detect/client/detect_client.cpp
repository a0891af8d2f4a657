// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/detect/client/detect_client.h"

#include <fmt/format.h>

#include <array>

#include "module/client/cells.h"
#include "telemetry/ranked_table.h"

namespace packetwarp {
namespace {

constexpr char model_form[] = "{:<32}  {:>12}  {:>18}  {:>18}  {}\n";
constexpr char flow_form[] = "{:<47}  {:<47}  {:<9}  {:>14}  {:>10}  {:>10}\n";
constexpr char host_form[] = "{:<39}  {:<11}  {:>14}  {:>10}  {:>10}  {:>10}  {}\n";

[[nodiscard]] std::string table_line(json const& said, char const* of) {
  auto const& table = said.at(of);
  return fmt::format("{:<7}  {} new, {} took the place of idle ones, {} packets without a place\n", of,
                     count_of(table, "inserted"), count_of(table, "replaced"), count_of(table, "untracked"));
}

[[nodiscard]] std::string score_text(json const& row, char const* key) {
  return fmt::format("{:.3f}", telemetry::number(row, key));
}

[[nodiscard]] std::string events_line(json const& said) {
  auto const& events = said.at("events");
  return fmt::format("events   {} told, {} repeated, {} beyond events_rate, {} lost\n", count_of(events, "told"),
                     count_of(events, "repeated"), count_of(events, "limited"), count_of(events, "lost"));
}

[[nodiscard]] std::string mirror_line(json const& said) {
  auto const mirror = said.find("mirror");
  if (mirror == said.end()) return {};
  auto line = fmt::format("mirror   {} copies sent by {}, {} beyond mirror_rate", count_of(*mirror, "sent"),
                          word_of(*mirror, "to"), count_of(*mirror, "limited"));
  for (auto const& [why, packets] : mirror->at("lost").items()) {
    if (packets != 0) line += fmt::format(", {} {}", count_of(mirror->at("lost"), why.c_str()), why);
  }
  return line + '\n';
}

// The hosts of the last ten seconds.
[[nodiscard]] std::string busiest_text(json const& said) {
  auto const& hosts = rows_of(said, "busiest");
  if (hosts.empty()) return {};
  std::string text{'\n'};
  text += fmt::format(host_form, "host", "as", "packets", "flows", "highest", "latest", "peer");
  for (auto const& one : hosts) {
    text += fmt::format(host_form, word_of(one, "address"), word_of(one, "role"), count_of(one, "packets"),
                        count_of(one, "flows"), score_text(one, "highest"), score_text(one, "latest"),
                        word_of(one, "peer"));
  }
  return text;
}

// "192.0.2.1:80", "[2001:db8::1]:80"; the address alone without a port.
[[nodiscard]] std::string endpoint_text(json const& flow, char const* address, char const* port) {
  auto host = word_of(flow, address);
  if (!flow.contains(port)) return host;
  bool const is_ipv6 = host.find(':') != std::string::npos;
  return (is_ipv6 ? '[' + host + ']' : host) + ':' + number_of(flow, port);
}
[[nodiscard]] std::string source_text(json const& flow) { return endpoint_text(flow, "source", "source_port"); }
[[nodiscard]] std::string destination_text(json const& flow) {
  return endpoint_text(flow, "destination", "destination_port");
}

// The flows of the last ten seconds.
[[nodiscard]] std::string highest_text(json const& said) {
  auto const& flows = rows_of(said, "highest");
  if (flows.empty()) return {};
  std::string text{'\n'};
  text += fmt::format(flow_form, "flow from", "to", "protocol", "packets", "highest", "latest");
  for (auto const& one : flows) {
    text += fmt::format(flow_form, source_text(one), destination_text(one), word_of(one, "protocol"),
                        count_of(one, "packets"), score_text(one, "highest"), score_text(one, "latest"));
  }
  return text;
}

[[nodiscard]] std::string detect_text(json const& said) {
  auto text = fmt::format(model_form, "model", "threshold", "judged", "anomalous", "");
  for (auto const& one : rows_of(said, "models")) {
    text += fmt::format(model_form, word_of(one, "file"), fmt::format("{}", one.value("threshold", 0.0)),
                        count_of(one, "judged"), count_of(one, "anomalous"),
                        one.value("decides", false) ? "decides: " + word_of(said, "action") : "counted only");
  }
  if (auto const large = said.find("large"); large != said.end()) {
    text += fmt::format(model_form, word_of(*large, "file"), fmt::format("{}", large->value("threshold", 0.0)),
                        count_of(*large, "judged"), count_of(*large, "anomalous"),
                        fmt::format("large: {} more by their flow, {} beyond its rate", count_of(*large, "followed"),
                                    count_of(*large, "limited")));
  }
  return text + table_line(said, "flows") + table_line(said, "hosts") + events_line(said) + mirror_line(said) +
         busiest_text(said) + highest_text(said);
}

[[nodiscard]] std::vector<std::string> host_table(telemetry::report_change const& seen, telemetry::row_order order,
                                                  std::size_t width) {
  using namespace telemetry;
  constexpr auto left = text_table::align::left;
  ranked_table table{
      {{"host", left}, {"as", left}, {"rate"}, {"packets"}, {"flows"}, {"highest"}, {"latest"}, {"peer", left}}, 2};
  auto const& earlier = part(part(seen.before(), "detect"), "busiest");
  for (auto const& one : part(part(seen.now(), "detect"), "busiest")) {
    auto const rate = seen.rate(number(like(earlier, one, {"address", "role"}), "packets"), number(one, "packets"));
    table.add(rate, {text(one, "address"), text(one, "role"), rate_text(rate, "pps"),
                     with_separators(count(one, "packets")), with_separators(count(one, "flows")),
                     score_text(one, "highest"), score_text(one, "latest"), text(one, "peer")});
  }
  return table.lines(order, width);
}

[[nodiscard]] std::vector<std::string> flow_table(telemetry::report_change const& seen, telemetry::row_order order,
                                                  std::size_t width) {
  using namespace telemetry;
  constexpr auto left = text_table::align::left;
  ranked_table table{
      {{"flow from", left}, {"to", left}, {"highest"}, {"latest"}, {"rate"}, {"packets"}, {"protocol", left}}, 2};
  auto const& earlier = part(part(seen.before(), "detect"), "highest");
  for (auto const& one : part(part(seen.now(), "detect"), "highest")) {
    auto const& was = like(earlier, one, {"source", "destination", "source_port", "destination_port", "protocol"});
    auto const rate = seen.rate(number(was, "packets"), number(one, "packets"));
    table.add(rate, {source_text(one), destination_text(one), score_text(one, "highest"), score_text(one, "latest"),
                     rate_text(rate, "pps"), with_separators(count(one, "packets")), text(one, "protocol")});
  }
  return table.lines(order, width);
}

// The hosts, and below them the flows.
[[nodiscard]] std::vector<std::string> anomaly_tables(telemetry::report_change const& seen, telemetry::row_order order,
                                                      std::size_t width) {
  auto lines = host_table(seen, order, width);
  auto const flows = flow_table(seen, order, width);
  if (!lines.empty() && !flows.empty()) lines.emplace_back();
  lines.insert(lines.end(), flows.begin(), flows.end());
  return lines;
}

[[nodiscard]] std::vector<std::string> detect_lines(telemetry::report_change const& seen) {
  using namespace telemetry;
  auto const& now = part(seen.now(), "detect");
  if (!now.is_object()) return {};
  std::vector<std::string> lines;
  auto const& before = part(part(seen.before(), "detect"), "models");
  auto const& models = part(now, "models");
  for (std::size_t n = 0; n < models.size(); ++n) {
    auto const& was = n < before.size() ? before.at(n) : models.at(n);
    auto const rate = [&](char const* key) {
      return rate_text(seen.rate(number(was, key), number(models.at(n), key)), "pps");
    };
    lines.push_back(fmt::format("detect   {} anomalous of {} judged by {}", rate("anomalous"), rate("judged"),
                                text(models.at(n), "file")));
  }
  return lines;
}

constexpr std::array nouns_of_detect{shown_noun{
    .name = "detect",
    .help = "  detect                   models, the packets that each has judged and called anomalous, the tables of "
            "flows\n"
            "                           and hosts, events, the hosts with the most anomalous packets now, and the\n"
            "                           flows with the highest scores\n",
    .text = detect_text}};

}  // namespace

module_client detect_client() {
  return {.nouns = nouns_of_detect, .screen = {.lines = detect_lines, .page = "detect", .table = anomaly_tables}};
}

}  // namespace packetwarp
