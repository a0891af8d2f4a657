// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

#include "traffic/question/answer_table.h"

namespace packetwarp {

// The answers to packets of known class, right and wrong: a line and a table, with a line end.
[[nodiscard]] std::string text_of(traffic::answer_table const& answers, double cycles_per_second);
[[nodiscard]] nlohmann::ordered_json json_of(traffic::answer_table const& answers, double cycles_per_second);

}  // namespace packetwarp
