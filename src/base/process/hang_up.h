// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace packetwarp {

// SIGHUP asks a long-running program to read its files again; without this handler it ends the process. Called once.
void install_hang_up_signal();

// Whether SIGHUP has arrived since the last call. For one thread.
[[nodiscard]] bool take_hang_up() noexcept;

}  // namespace packetwarp
