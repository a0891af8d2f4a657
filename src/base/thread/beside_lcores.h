// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <functional>

namespace packetwarp {

// Starts a thread where the EAL's own threads run: on the CPUs that no lcore has, or on the main lcore's if none exist.
// Without it, a thread that the main lcore starts shares that lcore's CPU, and a thread that spins in the kernel, as a
// driver in trouble may for 0.1 to 3 s, holds up the main lcore. Before the EAL has started, the thread runs where the
// caller may. name: 15 characters at most, as the system shows it. The caller joins or detaches the thread. Throws
// failure.
[[nodiscard]] pthread_t start_beside_lcores(char const* name, std::function<void()> work);

// Runs the work on such a thread and waits for it: threads that the work starts (a driver's) stay on these CPUs.
// Rethrows an exception of the work.
void run_beside_lcores(std::function<void()> const& work);

}  // namespace packetwarp
