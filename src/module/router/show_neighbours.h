// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "control/neighbour_cache.h"
#include "module/rows.h"
#include "module/run_view.h"
#include "request/request.h"

namespace packetwarp {

[[nodiscard]] std::string_view to_string(neighbour_state state);

// Adds up to `most` neighbours, from this one or its successor on. Returns the first one that is left; nothing if none
// is. names: interfaces', as JSON. now: of the control plane's clock. Pure.
[[nodiscard]] std::optional<neighbour_key> add_neighbours(neighbour_cache const& known,
                                                          std::span<std::string const> names, control_time now,
                                                          std::optional<neighbour_key> const& from, std::size_t most,
                                                          json_rows& into);

// "show neighbours": a page of the neighbours, by interface and address, from the argument `from` (INTERFACE/ADDRESS)
// on, `limit` rows at most:
//   {"total","neighbours":[{"interface","address","mac","state","age","waiting"}],"next"}
// A neighbour that stays is on one page; neighbours that come or go meanwhile may be listed or not. The work goes
// through the table one slice per call. run outlives it. Throws usage_error like show_routes().
[[nodiscard]] request_work show_neighbours(request const& asked, run_view& run);

}  // namespace packetwarp
