// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace packetwarp {

// SIGHUP asks a long-running program to read its files again, and to open its logs again; without this handler it ends
// the process. Called once.
void install_hang_up_signal();

// Whether SIGHUP has arrived since the last call. For one thread.
[[nodiscard]] bool take_hang_up() noexcept;

// The number of arrivals. For any thread.
[[nodiscard]] unsigned count_of_hang_ups() noexcept;

}  // namespace packetwarp
