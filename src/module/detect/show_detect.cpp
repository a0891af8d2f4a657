// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/detect/show_detect.h"

namespace packetwarp {

request_work show_detect(request const& asked, detect_module const& of) {
  asked.require_known({});
  return [&of] { return std::optional{success_line(json_of(of.counts(readable::all)))}; };
}

}  // namespace packetwarp
