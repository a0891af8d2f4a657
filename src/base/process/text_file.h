// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace packetwarp {

// More bytes than any text for packetwarp has: a larger file is a device without an end, or a mistake.
inline constexpr std::size_t most_text_bytes = std::size_t{256} << 20;

// The whole text of a file that a user has named, which may be a pipe (pipe_wait). Nothing if the file cannot be read:
// errno then says why. Throws usage_error, which begins with the file's name, for a file of more than most_text_bytes,
// and for a pipe in a thread that may not wait.
[[nodiscard]] std::optional<std::string> read_text_file(std::filesystem::path const& file);

}  // namespace packetwarp
