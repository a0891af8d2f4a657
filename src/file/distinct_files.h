// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace packetwarp {

// Throws usage_error if a file is both read and written, or written twice: one use would destroy what the other needs.
// Names that are empty or "-", devices, pipes and sockets are left out. Called before a file is opened for writing.
void require_distinct_files(std::span<std::string const> read, std::span<std::string const> written);

}  // namespace packetwarp
