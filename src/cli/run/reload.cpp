// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/reload.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/control/request.h"
#include "cli/run/file/network_file.h"
#include "cli/run/file/reload_check.h"
#include "module/rules/rules_source.h"
#include "network/network_change.h"

namespace packetwarp {
namespace {

// What the file says now, beside the network that it asks for. Written on the thread that reads it.
struct reload_facts {
  std::optional<yaml_place> root;
  std::vector<std::string> nat44;  // keys of it that say something else
};

// was: what the network was read from. ports: those that rules may be of.
[[nodiscard]] wanted_network read_wanted(network_settings const& now, yaml_place const& was,
                                         std::vector<port_id> const& ports, reload_facts& facts) {
  auto file = read_network_file(now.config.file);
  require_reloadable(was, file.root);
  network_settings wanted{std::move(file.network), {}};
  wanted.routes = routes_of(wanted.config);
  auto edits = edits_between(now, wanted);
  facts.nat44 = changed_nat44_keys(was, file.root);
  facts.root = file.root;
  wanted_network made{std::move(wanted), std::move(edits), {}};
  if (auto const& rules = made.settings.config.rules) made.rules = read_rules_book(*rules, ports);
  return made;
}

class reload_work {
 public:
  reload_work(network& net, yaml_place& in_force)
      : net_{net},
        in_force_{in_force},
        // What is in force is written by the change that has the turn, and this one has it while it reads.
        change_{net, [&in_force, read = read_](network_settings const& now, std::vector<port_id> const& ports) {
                  return read_wanted(now, in_force, ports, *read);
                }} {}

  [[nodiscard]] std::optional<std::string> step() {
    bool const is_done = change_.step();
    if (change_.is_published()) in_force_ = *read_->root;
    return is_done ? std::optional{end()} : std::nullopt;
  }

 private:
  [[nodiscard]] std::string end() {
    auto const& edits = change_.edits();
    auto text = fmt::format("{} is in force: {} routes and {} neighbours changed", net_.settings().config.file,
                            edits.routes.size(), edits.neighbours.size());
    json result{{"routes", edits.routes.size()}, {"neighbours", edits.neighbours.size()}};
    if (auto const& changed = read_->nat44; !changed.empty()) {
      text += fmt::format("; of nat44 {} changed", fmt::join(changed, ", "));
      result["nat44"] = changed;
    }
    if (net_.rules() != nullptr) {
      text += fmt::format("; {} rules are read", net_.rules()->size());
      result["rules"] = net_.rules()->size();
    }
    for (auto const& port : net_.plane().ports()) {
      if (!port.is_removed()) continue;
      text +=
          fmt::format("; port {} ({}) is gone: its device was taken away", port.facts().id.value(), port.facts().name);
    }
    result["text"] = text;
    return success_line(std::move(result));
  }

  network& net_;
  yaml_place& in_force_;
  std::shared_ptr<reload_facts> read_{std::make_shared<reload_facts>()};
  network_change change_;
};

}  // namespace

request_work reload(network& net, yaml_place& in_force) {
  auto const work = std::make_shared<reload_work>(net, in_force);
  return [work] { return work->step(); };
}

}  // namespace packetwarp
