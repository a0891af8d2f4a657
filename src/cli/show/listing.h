// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/control/control_client.h"
#include "cli/show/options.h"
#include "module/client/listing.h"

namespace packetwarp {

// Asks for page after page, up to options.limit rows, and returns the text to print. If the version of pages changes
// between two, the list is begun anew; throws failure if that happens time and again. Only the text of rows is kept.
[[nodiscard]] std::string list_pages(show_options const& options, control_client& running, listing const& how);

}  // namespace packetwarp
