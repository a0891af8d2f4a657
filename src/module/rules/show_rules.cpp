// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/show_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "flow/print.h"
#include "module/rows.h"

namespace packetwarp {
namespace {

constexpr std::size_t rule_rows_a_slice = 64;

using port_names = std::map<port_id, std::string>;

[[nodiscard]] port_names names_by_port(run_view& run) {
  port_names made;
  auto const& ports = run.plane().planned().ports;
  auto const& interfaces = run.config().interfaces;
  for (std::size_t n = 0; n < interfaces.size(); ++n) made[ports[n].facts.id] = json_text(interfaces[n].name);
  return made;
}

[[nodiscard]] std::string row_of_rule(rule_status const& one, port_names const& names) {
  auto const& what = one.rule->what;
  auto const named = names.find(one.port);
  auto row = fmt::format(R"({{"interface":{},"port":{},"rule":{},"line":{},"group":{},"priority":{},"on":"{}")",
                         named == names.end() ? "null" : named->second, one.port.value(), one.rule->number,
                         one.rule->line == 0 ? "null" : std::to_string(one.rule->line), what.attr.group.value_or(0),
                         what.attr.priority.value_or(0), to_string(one.site));
  if (!one.why.empty()) row += fmt::format(R"(,"why":{})", json_text(one.why));
  row += one.seen ? fmt::format(R"(,"hits":{},"bytes":{})", one.seen->hits, one.seen->bytes)
                  : std::string{R"(,"hits":null,"bytes":null)"};
  return row + fmt::format(R"(,"text":{}}})", json_text(flow::to_text(what)));
}

class rule_page {
 public:
  rule_page(rule_tables& rules, run_view& run, std::size_t from, std::size_t most)
      : rules_{rules}, run_{run}, names_{names_by_port(run)}, from_{from}, most_{most} {
    begin();
  }

  [[nodiscard]] std::optional<std::string> step() {
    auto const& rules = rules_;
    if (version_ != rules.version()) begin();
    auto const at = from_ + rows_.count();
    auto const end = std::min({at + rule_rows_a_slice, from_ + most_, rules.size()});
    if (at < end) {
      for (auto const& one : rules.status(at, end)) rows_.add(row_of_rule(one, names_));
    }
    auto const next = from_ + rows_.count();
    if (next < rules.size() && rows_.count() < most_) return std::nullopt;
    auto text = fmt::format(R"({{"version":{},"changing":{},"total":{},"rules":{})", version_, run_.is_changing(),
                            rules.size(), rows_.array());
    if (next < rules.size()) text += fmt::format(R"(,"next":"{}")", next);
    return success_line_of(text + '}');
  }

 private:
  void begin() {
    version_ = rules_.version();
    rows_.clear();
  }

  rule_tables& rules_;
  run_view& run_;
  port_names names_;
  std::size_t from_;
  std::size_t most_;
  std::uint64_t version_{};
  json_rows rows_;
};

}  // namespace

request_work show_rules(request const& asked, rule_tables& rules, run_view& run) {
  asked.require_known({"from", "limit"});
  return [page = rule_page{rules, run, first_row(asked), rows_of_a_page(asked)}]() mutable { return page.step(); };
}

}  // namespace packetwarp
