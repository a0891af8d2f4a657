// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traffic/question/questions.h"

namespace packetwarp {

// Captures of packets of known class, to ask about; as typed.
struct question_request {
  std::optional<std::string> benign, attack, labelled;
  traffic::capture_pace pace{traffic::capture_pace::recorded};

  [[nodiscard]] bool is_asked() const { return benign || attack || labelled; }
};
void declare(CLI::App& app, question_request& typed);

// The files that it reads: captures, and labels.
[[nodiscard]] std::vector<std::string> files_of(question_request const& request);

// The reason why another option is not allowed beside questions.
inline constexpr std::string_view questions_settle_it =
    "--benign, --attack and --labelled send captures and await answers on the same port; leave it out";

// Reads the captures. Throws usage_error or failure.
[[nodiscard]] std::shared_ptr<traffic::questions const> read_questions(question_request const& request);

// "1,482 packets: 520 normal, 962 anomalous".
[[nodiscard]] std::string describe(traffic::questions const& asked);

}  // namespace packetwarp
