// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "cli/control/control_client.h"
#include "cli/show/options.h"

namespace packetwarp {

// How rows that come page by page are printed.
struct listing {
  std::string_view rows;                            // the page's key
  std::string heading;                              // of the text
  std::function<std::string(json const&)> line;     // of the text
  std::function<std::string(json const&)> above{};  // of the text: what the first page says beside its rows
};

// Asks for page after page, up to options.limit rows, and gives the text to print. If pages have a version and
// it changes between two, the list is begun anew; throws failure where it does so time and again. A row gives its text
// alone is kept.
[[nodiscard]] std::string list_pages(show_options const& options, control_client& running, listing const& how);

}  // namespace packetwarp
