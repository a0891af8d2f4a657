// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "module/router/route_list.h"
#include "module/router/router_module.h"
#include "module/rows.h"
#include "module/run_view.h"
#include "request/request.h"

namespace packetwarp {

// Adds up to `most` routes in the order of prefixes, from this prefix or its successor on. Returns the prefix of the
// first one that is left; nothing if none is. names: interfaces', as JSON. Pure.
[[nodiscard]] std::optional<ip_prefix> add_routes(route_map const& routes, std::span<std::string const> names,
                                                  std::optional<ip_prefix> const& from, std::size_t most,
                                                  json_rows& into);

// "show routes". A page of the routes that the file and the interfaces' addresses make, from the argument `from` on,
// `limit` rows at most:
// {"version","changing","total","connected","own","routes":[{"prefix","kind","via","interface","origin","line"}],"next"}
// `version` changes once a reload is in force; the rows of a page are of one version. While a reload is under way
// (`changing`) they are the old ones. The work goes through the list one slice per call.
//
// With the argument `to` it is the fate of packets to an address, by the entries that packets meet:
//   {"address","kind","route":{...},"next_hop":{"interface","address","mac","state"}}
// and for a prefix the longest route around all of it: {"prefix","route":{...}}.
//
// Both outlive the work. Throws usage_error for wrong arguments, and if the network does not route.
[[nodiscard]] request_work show_routes(request const& asked, router_module& routes, run_view& run);

}  // namespace packetwarp
