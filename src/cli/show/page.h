// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace packetwarp {

// The help page of `packetwarp show`: help.txt, with the modules' nouns in its {places}.
[[nodiscard]] std::string_view show_page();

}  // namespace packetwarp
