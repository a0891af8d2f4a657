// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/page.h"

#include <string>

#include "cli/filled_page.h"
#include "cli/help_pages.h"
#include "module/modules.h"

namespace packetwarp {
namespace {

// The place in the page is followed by its line's end, which the last line leaves out.
[[nodiscard]] std::string lines_of_modules(std::string_view module_help::*which) {
  std::string all;
  for (auto const* const kind : module_kinds()) all.append(kind->facts().help.*which);
  if (!all.empty()) all.pop_back();
  return all;
}

}  // namespace

std::string_view run_page() {
  static std::string const page =
      filled_page(help::run, {{"options of modules", lines_of_modules(&module_help::options)},
                              {"keys of modules", lines_of_modules(&module_help::keys)}});
  return page;
}

}  // namespace packetwarp
