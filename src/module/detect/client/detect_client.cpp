// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/detect/client/detect_client.h"

#include <fmt/format.h>

#include <array>

#include "module/client/cells.h"

namespace packetwarp {
namespace {

constexpr char model_form[] = "{:<32}  {:>12}  {:>18}  {:>18}  {}\n";

[[nodiscard]] std::string table_line(json const& said, char const* of) {
  auto const& table = said.at(of);
  return fmt::format("{:<7}  {} new, {} took the place of idle ones, {} packets without a place\n", of,
                     count_of(table, "inserted"), count_of(table, "replaced"), count_of(table, "untracked"));
}

[[nodiscard]] std::string detect_text(json const& said) {
  auto text = fmt::format(model_form, "model", "threshold", "judged", "anomalous", "");
  for (auto const& one : said.at("models")) {
    text += fmt::format(model_form, word_of(one, "file"), fmt::format("{}", one.value("threshold", 0.0)),
                        count_of(one, "judged"), count_of(one, "anomalous"),
                        one.value("decides", false) ? "decides: " + word_of(said, "action") : "counted only");
  }
  return text + table_line(said, "flows") + table_line(said, "hosts");
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
    .help = "  detect                   models, the packets that each has judged and called anomalous, and the tables\n"
            "                           of flows and hosts\n",
    .text = detect_text}};

}  // namespace

std::span<shown_noun const> detect_nouns() { return nouns_of_detect; }

module_screen detect_screen() { return {.lines = detect_lines}; }

}  // namespace packetwarp
