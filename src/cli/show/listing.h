// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/control/control_client.h"
#include "cli/show/options.h"
#include "module/client/listing.h"

namespace packetwarp {

// Asks for page after page, up to options.limit rows, and gives the text to print. If pages have a version and
// it changes between two, the list is begun anew; throws failure where it does so time and again. A row gives its text
// alone is kept.
[[nodiscard]] std::string list_pages(show_options const& options, control_client& running, listing const& how);

}  // namespace packetwarp
