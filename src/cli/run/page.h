// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace packetwarp {

// The help page of `packetwarp run`: help.txt, with the modules' lines about their options and keys in its {places}.
[[nodiscard]] std::string_view run_page();

}  // namespace packetwarp
