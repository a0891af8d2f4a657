// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace packetwarp {

// SIGHUP asks a program that runs for long to read its files again; without this it ends the process. Called once.
void install_hang_up_signal();

// Whether it has been asked to since the last call. By one thread.
[[nodiscard]] bool take_hang_up() noexcept;

}  // namespace packetwarp
