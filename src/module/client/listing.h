// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "request/request.h"

namespace packetwarp {

// How rows that come page by page are printed.
struct listing {
  std::string_view rows;                            // the page's key
  std::string heading;                              // of the text
  std::function<std::string(json const&)> line;     // of the text
  std::function<std::string(json const&)> above{};  // of the text: what the first page says beside its rows
};

}  // namespace packetwarp
