// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/router/show_neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "base/cycles.h"
#include "base/error.h"
#include "function/router/router.h"
#include "wire/address_text.h"

namespace packetwarp {
namespace {

// A loop iteration of the master takes some hundred microseconds for this many.
constexpr std::size_t neighbours_a_slice = 256;

[[nodiscard]] std::string row_of_neighbour(known_neighbour const& one, std::span<std::string const> names,
                                           control_time now) {
  auto row = fmt::format(R"({{"interface":{},"address":"{}","mac":{},"state":"{}","age":)",
                         names[static_cast<std::size_t>(one.who.interface)], to_text(one.who.address),
                         one.mac ? json_text(wire::to_text(*one.mac)) : "null", to_string(one.state));
  // A neighbour of the file has no age.
  auto const age = std::chrono::floor<std::chrono::seconds>(std::max(now - one.heard, control_time::zero()));
  row += one.state == neighbour_state::permanent ? "null" : fmt::format("{}", age.count());
  return row + fmt::format(R"(,"waiting":{}}})", one.waiting);
}

// INTERFACE/ADDRESS: the last slash divides them, because addresses have none.
[[nodiscard]] std::optional<neighbour_key> key_of(std::string_view text, network_config const& config) {
  auto const slash = text.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  auto const address = parse_address(text.substr(slash + 1));
  auto const& all = config.interfaces;
  auto const found =
      std::find_if(all.begin(), all.end(), [&](auto const& one) { return one.name == text.substr(0, slash); });
  if (!address || found == all.end()) return std::nullopt;
  return neighbour_key{interface_index{static_cast<std::uint16_t>(found - all.begin())}, *address};
}

[[nodiscard]] std::string text_of(neighbour_key const& key, network_config const& config) {
  return fmt::format("{}/{}", config.interfaces[static_cast<std::size_t>(key.interface)].name, to_text(key.address));
}

}  // namespace

std::string_view to_string(neighbour_state state) {
  constexpr std::array<std::string_view, 4> words{"incomplete", "reachable", "stale", "permanent"};
  return words[static_cast<std::size_t>(state)];
}

std::optional<neighbour_key> add_neighbours(neighbour_cache const& known, std::span<std::string const> names,
                                            control_time now, std::optional<neighbour_key> const& from,
                                            std::size_t most, json_rows& into) {
  std::optional<neighbour_key> next;
  std::size_t n = 0;
  known.visit(from, most + 1, [&](known_neighbour const& one) {
    if (n++ == most) {
      next = one.who;
    } else {
      into.add(row_of_neighbour(one, names, now));
    }
  });
  return next;
}

request_work show_neighbours(request const& asked, run_view& run) {
  asked.require_known({"from", "limit"});
  auto const& config = run.config();
  if (!config.plane.function->has_stage(router::name)) {
    throw usage_error("show neighbours: the running network has none: its file has rules and no 'routes'");
  }
  auto const text = asked.find("from");
  auto const from = text ? key_of(*text, config) : std::nullopt;
  if (text && !from) {
    throw usage_error(fmt::format("--from '{}': give an interface and the address to begin with, such as {}/192.0.2.1",
                                  *text, config.interfaces.front().name));
  }
  return [&run, most = rows_of_a_page(asked), names = json_names(config), at = from,
          rows = json_rows{}]() mutable -> std::optional<std::string> {
    auto const slice = std::min(neighbours_a_slice, most - rows.count());
    at = add_neighbours(run.neighbours(), names, run.now(), at, slice, rows);
    if (at && rows.count() < most) return std::nullopt;
    auto page = fmt::format(R"({{"total":{},"neighbours":{})", run.neighbours().size(), rows.array());
    if (at) page += fmt::format(R"(,"next":{})", json_text(text_of(*at, run.config())));
    return success_line_of(page + '}');
  };
}

}  // namespace packetwarp
