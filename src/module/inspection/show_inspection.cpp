// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/inspection/show_inspection.h"

namespace packetwarp {

request_work show_inspection(request const& asked, inspection_module const& of) {
  asked.require_known({});
  return [&of] { return std::optional{success_line(json_of(of.totals(readable::all)))}; };
}

}  // namespace packetwarp
