// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/router/router_kind.h"

#include <array>

#include "file/values.h"
#include "module/router/client/router_nouns.h"
#include "module/router/network_settings.h"
#include "module/router/route_list.h"
#include "module/router/route_room.h"
#include "module/router/router_module.h"
#include "module/router/routes_section.h"
#include "module/router/show_neighbours.h"
#include "module/router/show_routes.h"

namespace packetwarp {

namespace help {
extern std::string_view const router_run_keys;  // client/in_run_keys.txt
}  // namespace help

namespace {

constexpr std::array<std::string_view, 3> router_keys{"routes", "source_routes", "neighbours"};
constexpr std::array<std::string_view, 1> fixed_router_keys{"source_routes"};
constexpr std::array source_route_fates{choice{std::string_view{"drop"}, source_routes::drop},
                                        choice{std::string_view{"pass"}, source_routes::pass}};

[[nodiscard]] request_work neighbours(request const& asked, router_module& /*of*/, run_view& run) {
  return show_neighbours(asked, run);
}
// A network always has the module.
constexpr std::array router_commands{command_of<router_module, show_routes>("show routes", ""),
                                     command_of<router_module, neighbours>("show neighbours", "")};

}  // namespace

router_kind::router_kind()
    : module_kind{{.name = router::name,
                   .keys = {.all = router_keys, .fixed = fixed_router_keys},
                   .help = {.keys = help::router_run_keys},
                   .commands = router_commands,
                   .client = {.nouns = router_nouns()}}} {}

void router_kind::read(yaml_place const& root, network_config& into) const {
  if (auto const at = root.find("source_routes")) into.source_routes = choice_at(*at, source_route_fates);
  if (auto const at = root.find("routes")) read_routes(*at, into);
  if (auto const at = root.find("neighbours")) read_neighbours(*at, into);
  into.tables = limits_for(into);
}

void router_kind::check(network_config const& config, plan const& /*planned*/) const {
  require_room({std::make_shared<network_config const>(config), routes_of(config)}, config.tables);
}

// The control plane uses routes even if no stage does.
std::unique_ptr<stage_module> router_kind::make(module_surroundings const& around) const {
  return std::make_unique<router_module>(around);
}

}  // namespace packetwarp
