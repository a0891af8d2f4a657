// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/show/listing.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/error.h"
#include "module/client/cells.h"
#include "telemetry/text_table.h"

namespace packetwarp {
namespace {

constexpr int listing_attempts = 5;

[[nodiscard]] std::string without_blanks_behind(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// The rows of a list so far.
class collected_rows {
 public:
  collected_rows(show_options const& options, listing const& how) : options_{options}, how_{how} {}

  [[nodiscard]] std::uint64_t left() const { return options_.limit - count_; }
  // False: the page is of another version than earlier pages.
  [[nodiscard]] bool take(json page) {
    std::string const key{how_.rows};
    (void)rows_of(page, key.c_str());
    auto const rows = std::exchange(page[key], {});
    next_ = page.value("next", std::string{});
    if (!first_) first_ = page;
    if (first_->value("version", json{}) != page.value("version", json{})) return false;
    for (auto const& row : rows) add(row);
    return true;
  }
  // The position at which the list goes on; empty at its end.
  [[nodiscard]] std::string const& next() const { return next_; }
  [[nodiscard]] std::string finish() const {
    if (options_.prints_json) return finish_json();
    auto all = (how_.above ? how_.above(*first_) : "") + without_blanks_behind(how_.heading) + '\n' + text_;
    if (next_.empty()) return all;
    auto const total = first_->value("total", std::uint64_t{});
    return all + fmt::format("{}{} are shown; --limit N shows more, --from {} goes on from there\n",
                             telemetry::with_separators(count_),
                             total == 0 ? "" : " of " + telemetry::with_separators(total), next_);
  }

 private:
  void add(json const& row) {
    if (options_.prints_json) {
      text_ += (count_ == 0 ? "\n    " : ",\n    ") + row.dump();
    } else {
      text_ += without_blanks_behind(how_.line(row)) + '\n';
    }
    ++count_;
  }
  [[nodiscard]] std::string finish_json() const {
    std::string head = "{";
    for (auto const& [key, value] : first_->items()) {
      if (key != how_.rows && key != "next") head += fmt::format("\n  {}: {},", json(key).dump(), value.dump());
    }
    if (!next_.empty()) head += fmt::format("\n  \"next\": {},", json(next_).dump());
    return fmt::format("{}\n  {}: [{}{}]\n}}\n", head, json(how_.rows).dump(), text_, count_ == 0 ? "" : "\n  ");
  }

  show_options const& options_;
  listing const& how_;
  std::optional<json> first_;  // page, without its rows
  std::string next_;
  std::string text_;
  std::uint64_t count_{};
};

// Nothing if the pages are of several versions.
[[nodiscard]] std::optional<std::string> try_to_list(show_options const& options, control_client& running,
                                                     listing const& how) {
  request asked{.command = options.command(), .arguments = options.arguments};
  collected_rows rows{options, how};
  for (;;) {
    asked.arguments["limit"] = std::to_string(rows.left());
    if (!rows.take(running.ask(asked))) return std::nullopt;
    if (rows.next().empty() || rows.left() == 0) return rows.finish();
    asked.arguments["from"] = rows.next();
  }
}

}  // namespace

std::string list_pages(show_options const& options, control_client& running, listing const& how) {
  for (int n = 0; n < listing_attempts; ++n) {
    if (auto text = try_to_list(options, running, how)) return *text;
  }
  throw failure(fmt::format(
      "{}: changes came in force between two pages, {} times in a row; ask again when the network's file is "
      "reloaded less often, or for fewer by --limit",
      options.command(), listing_attempts));
}

}  // namespace packetwarp
