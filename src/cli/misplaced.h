// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "cli/command.h"

namespace packetwarp {

// A word among the EAL's that is neither an option of the EAL's nor an option's value.
struct misplaced_word {
  enum class kind : std::uint8_t { ours, unknown, stray };
  kind is{};
  std::string name{};   // "--metrics"; or the stray word itself
  std::string value{};  // of an option of packetwarp's; empty without one
  std::size_t at{};     // among the words
};

// The first misplaced word. `app` has the command's options declared. Pure.
[[nodiscard]] std::optional<misplaced_word> find_misplaced(CLI::App const& app, std::span<std::string const> eal);

// Refuses words before "--" that are no options of the EAL's: throws usage_error, which names packetwarp's own option
// among them and the place where it belongs. `app` has the command's options declared.
void refuse_misplaced(CLI::App const& app, invocation const& call);

// For a command whose options may stand on both sides of "--", because no EAL is started with these: throws usage_error
// for an option of the EAL's that stands in front of "--", and names the transport that goes with it. `app` has the
// command's options declared.
void refuse_eal_without_port(CLI::App const& app, invocation const& call);

// For a word after "--": " is the EAL's, ..." if it is an option of the EAL, else nothing.
[[nodiscard]] std::string where_else(std::string const& word, invocation const& call);

}  // namespace packetwarp
