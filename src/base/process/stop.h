// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace packetwarp {

// How often the user has asked to stop: once to drain what is in flight, twice to drop it and leave at once.
enum class stop_request : int { none = 0, drain = 1, abandon = 2 };

// The program's only global, beside the one of base/process/hang_up.h. Set by a signal or by request_stop(), read by
// any thread.
[[nodiscard]] stop_request stop_requested() noexcept;

// Has the effect of one signal. Thread-safe.
void request_stop() noexcept;

// SIGINT and SIGTERM ask to stop: the first drains, the second abandons, the third ends the process as the signal
// does by default. Called once, by main.
void install_stop_signals();

// Forgets earlier requests, for a program that runs several data planes one after the other (tests, bench).
void clear_stop_request() noexcept;

}  // namespace packetwarp
