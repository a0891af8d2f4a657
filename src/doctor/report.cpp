// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "doctor/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

#include "base/units.h"
#include "doctor/examine.h"
#include "telemetry/text_table.h"

namespace packetwarp::doctor {
namespace {

using json = nlohmann::ordered_json;

constexpr std::array statuses{status::ok, status::warn, status::fail, status::skip, status::unknown};

[[nodiscard]] auto count_of(std::vector<finding> const& findings, status what) {
  return std::count_if(findings.begin(), findings.end(), [&](auto const& one) { return one.seen.is == what; });
}

[[nodiscard]] bool needs_words(finding const& one) {
  return one.seen.is == status::warn || one.seen.is == status::fail || !one.seen.command.empty() ||
         !one.seen.manifest.empty();
}

// A check's reason once, then the commands of all its findings, or the fields of the manifest, each once.
[[nodiscard]] std::string advice(std::vector<finding> const& findings) {
  std::string text;
  std::string_view last;
  std::vector<std::string_view> said;
  for (auto const& one : findings) {
    if (!needs_words(one)) continue;
    if (one.id != last) {
      text += fmt::format("\n{}: {}\n", one.id, one.why);
      said.clear();
    }
    last = one.id;
    auto const& remedy = one.seen.manifest.empty() ? one.seen.command : one.seen.manifest;
    if (remedy.empty() || std::find(said.begin(), said.end(), remedy) != said.end()) continue;
    text += fmt::format("  {}{}\n", one.seen.manifest.empty() ? "" : "manifest: ", remedy);
    said.push_back(remedy);
  }
  return text;
}

// The command of the change and, apart from it, the reboot that puts it into effect: the user chooses a moment when
// the machine is not needed.
[[nodiscard]] std::string advice(boot_edit const& boot, std::vector<finding> const& findings) {
  std::vector<std::string> ids;
  for (auto const& one : findings) {
    if (one.seen.boot.text.empty() || std::find(ids.begin(), ids.end(), one.id) != ids.end()) continue;
    ids.emplace_back(one.id);
  }
  auto text =
      fmt::format("\nkernel command line, for {}; it counts from the next boot on:\n", telemetry::with_commas(ids));
  if (boot.command.empty()) {
    return text + fmt::format("  no GRUB with a line for them is here; give these to this machine's boot loader: {}\n",
                              boot.parameters);
  }
  return text + fmt::format("  {}\nthen, when the machine can be spared:\n  reboot\n", boot.command);
}

[[nodiscard]] json json_of(finding const& one) {
  auto const or_null = [](std::string const& text) { return text.empty() ? json(nullptr) : json(text); };
  return {{"id", one.id},
          {"subject", one.subject},
          {"of", or_null(one.seen.of)},
          {"status", to_string(one.seen.is)},
          {"reading", one.seen.text},
          {"why", one.why},
          {"command", or_null(one.seen.command)},
          {"boot_parameters", or_null(one.seen.boot.text)},
          {"manifest", or_null(one.seen.manifest)}};
}

}  // namespace

std::string to_table(std::vector<finding> const& findings, std::optional<boot_edit> const& boot) {
  using enum telemetry::text_table::align;
  telemetry::text_table table{{{"status", left}, {"check", left}, {"of", left}, {"reading", left}}};
  for (auto const& one : findings) {
    table.add_row({std::string{to_string(one.seen.is)}, std::string{one.id}, one.seen.of, one.seen.text});
  }
  std::string counts;
  for (auto const what : statuses) {
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count_of(findings, what), to_string(what));
  }
  return fmt::format("{}{}{}\n{}\n", table.text(), advice(findings), boot ? advice(*boot, findings) : "", counts);
}

std::string to_json(std::vector<finding> const& findings, std::vector<hugepage_result> const& fixes,
                    std::optional<boot_edit> const& boot) {
  json made{{"version", PACKETWARP_VERSION}, {"failed", any_fails(findings)}};
  for (auto const what : statuses) made["counts"][std::string{to_string(what)}] = count_of(findings, what);
  made["fixes"] = json::array();
  for (auto const& fix : fixes) {
    made["fixes"].push_back({{"path", fix.step.path},
                             {"page_bytes", fix.step.page_bytes},
                             {"before", fix.step.before},
                             {"asked", fix.step.asked},
                             {"got", fix.got},
                             {"problem", fix.problem.empty() ? json(nullptr) : json(fix.problem)}});
  }
  made["boot"] = nullptr;
  if (boot) {
    made["boot"] = {{"parameters", boot->parameters},
                    {"command", boot->command.empty() ? json(nullptr) : json(boot->command)}};
  }
  made["findings"] = json::array();
  for (auto const& one : findings) made["findings"].push_back(json_of(one));
  // A file or a program's output may hold bytes that are not UTF-8.
  return made.dump(2, ' ', false, json::error_handler_t::replace);
}

std::string describe(hugepage_step const& step) {
  if (!step.refused.empty()) return fmt::format("{} stays {}: {}", step.path, step.before, step.refused);
  return fmt::format("writing {} into {}, which is {} now (pages of {})", step.asked, step.path, step.before,
                     format_size(step.page_bytes));
}

std::string describe(hugepage_result const& result) {
  return fmt::format("{} is {}{}{}", result.step.path, result.got, result.problem.empty() ? "" : ": ", result.problem);
}

}  // namespace packetwarp::doctor
