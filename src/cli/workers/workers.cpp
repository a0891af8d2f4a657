// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <string>

#include "base/error.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/control/control_client.h"
#include "module/client/cells.h"
#include "telemetry/text_table.h"

namespace packetwarp {
namespace {

using telemetry::text_table;
using telemetry::with_separators;

[[nodiscard]] std::string duration_of(json const& object, char const* key) {
  auto const& us = object.at(key);
  return us.is_null() ? "-" : format_duration(us.get<double>() * 1e3);
}

[[nodiscard]] std::string ago(json const& big) {
  auto const& seconds = big.at("longest_seconds_ago");
  return seconds.is_null() ? "-" : fmt::format("{:.1f} s", seconds.get<double>());
}

[[nodiscard]] std::string job_of(json const& big) {
  auto const& job = big.at("longest_job");
  return job.is_string() ? job.get<std::string>() : "-";
}

[[nodiscard]] std::string costs_of(json const& jobs) {
  std::vector<std::string> all;
  for (auto const& job : jobs) {
    auto const& cost = job.at("cycles_per_packet");
    all.push_back(job.at("name").get<std::string>() +
                  (cost.is_null() ? "" : fmt::format(" {:.1f}", cost.get<double>())));
  }
  return telemetry::with_commas(all);
}

[[nodiscard]] std::vector<std::string> row_of(json const& one) {
  auto const count = [&](char const* key) { return with_separators(one.at(key).get<std::uint64_t>()); };
  std::vector<std::string> row{std::to_string(one.at("lcore").get<unsigned>()), one.at("role").get<std::string>()};
  if (!one.at("answered").get<bool>()) {
    row.insert(row.end(), {"-", "-", "-", "-", "-", "-", count("message_timeouts"), "did not answer"});
    return row;
  }
  auto const& big = one.at("big_loops");
  row.insert(row.end(), {fmt::format("{:.0f} %", one.at("busy").get<double>() * 100), count("loops"),
                         with_separators(big.at("count").get<std::uint64_t>()), duration_of(big, "longest_us"),
                         ago(big), job_of(big), count("message_timeouts"), costs_of(one.at("jobs"))});
  return row;
}

[[nodiscard]] std::string text_of(json const& said) {
  using enum text_table::align;
  text_table table{{{"lcore"},
                    {"role", left},
                    {"busy"},
                    {"loops"},
                    {"big loops"},
                    {"longest"},
                    {"ago"},
                    {"in", left},
                    {"timeouts"},
                    {"jobs, cycles/packet", left}}};
  for (auto const& one : rows_of(said, "workers")) table.add_row(row_of(one));
  auto const& master = said.at("master").at("big_loops");
  return table.text() + fmt::format("master: {} big loops over {}, the longest {}\n",
                                    with_separators(master.at("count").get<std::uint64_t>()),
                                    duration_of(master, "over_us"), duration_of(master, "longest_us"));
}

[[nodiscard]] std::string reset_text(json const& said) {
  auto const count = said.at("reset").get_ref<json::array_t const&>().size();
  auto text = fmt::format("big loops are counted anew by {} worker{}\n", count, count == 1 ? "" : "s");
  for (auto const& lcore : said.at("missing").get_ref<json::array_t const&>())
    text += fmt::format("lcore {} did not answer\n", lcore.get<unsigned>());
  return text;
}

}  // namespace

int run_workers(invocation const& given) {
  auto call = with_words_as_options(given);
  bool const resets = !call.options.empty() && call.options.front() == "reset";
  if (resets) call.options.erase(call.options.begin());
  std::optional<std::string> control;
  bool prints_json = false;
  CLI::App app;
  app.add_flag("--json", prints_json);
  app.add_option("--control", control);
  parse_options(app, call);
  control_client running{control, resets ? control_client_limits{} : limits_of_readers};
  auto const said = running.ask({.command = resets ? "workers reset" : "workers", .arguments = {}});
  auto const text =
      prints_json ? said.dump(2) + '\n' : understood([&] { return resets ? reset_text(said) : text_of(said); });
  fmt::print("{}", text);
  return exit_success;
}

}  // namespace packetwarp
