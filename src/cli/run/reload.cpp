// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/reload.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/run/file/network_file.h"
#include "cli/run/file/reload_check.h"
#include "module/modules.h"
#include "network/network_change.h"
#include "request/request.h"

namespace packetwarp {
namespace {

// The content of the file now, beside the network's config. The reading thread writes it.
struct reload_facts {
  std::optional<yaml_place> root;
  std::map<std::string_view, std::vector<std::string>> changed;  // keys with another value, by their module
};

// was: the file that the network was read from.
[[nodiscard]] network_config read_wanted(network_config const& now, need_check const& need, yaml_place const& was,
                                         reload_facts& facts) {
  auto file = read_network_file(now.file, need);
  require_reloadable(was, file.root);
  for (auto const* const kind : module_kinds()) facts.changed[kind->name()] = changed_keys(*kind, was, file.root);
  facts.root = file.root;
  return std::move(file.network);
}

class reload_work {
 public:
  reload_work(network& net, yaml_place& in_force, end_check is_over)
      : net_{net},
        in_force_{in_force},
        is_over_{std::move(is_over)},
        // Only the running change writes in_force, and this one is running while it reads.
        change_{net, [&in_force, read = read_](network_config const& now, need_check const& need) {
                  return read_wanted(now, need, in_force, *read);
                }} {}

  [[nodiscard]] std::optional<std::string> step() {
    bool const is_over = is_over_();
    if (is_over && !change_.is_published()) throw abandoned("the reload is given up: the run ends");
    bool const is_done = change_.step() || is_over;
    if (change_.is_published()) in_force_ = *read_->root;
    return is_done ? std::optional{end()} : std::nullopt;
  }

 private:
  [[nodiscard]] std::string end() {
    auto text = fmt::format("{} is in force", net_.config().file);
    auto between = ": ";
    json result;
    for (auto const* const kind : module_kinds()) {
      auto const changed = change_.result_of(kind->name());
      if (!changed.text.empty()) text.append(std::exchange(between, "; ")).append(changed.text);
      for (auto const& [name, count] : changed.counts) result[name] = count;
      auto const& keys = read_->changed[kind->name()];
      if (keys.empty()) continue;
      text += fmt::format("{}of {} {} changed", std::exchange(between, "; "), kind->name(), fmt::join(keys, ", "));
      result[std::string{kind->name()}] = keys;
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
  end_check is_over_;
  std::shared_ptr<reload_facts> read_{std::make_shared<reload_facts>()};
  network_change change_;
};

}  // namespace

request_work reload(network& net, yaml_place& in_force, end_check is_over) {
  auto const work = std::make_shared<reload_work>(net, in_force, std::move(is_over));
  return [work] { return work->step(); };
}

}  // namespace packetwarp
