// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <functional>

namespace packetwarp {

// Starts a thread as the EAL's own are: on the CPUs that no lcore has, or if none exist on the main lcore's. A
// thread that the main lcore starts otherwise shares that CPU with it, and one that spins in the kernel, as a driver in
// trouble may for 0.1 to 3 s, keeps the main lcore from it. Before the EAL has started it runs where the caller may.
// name: 15 characters at most, as the system shows it. To be joined or detached. Throws failure.
[[nodiscard]] pthread_t start_beside_lcores(char const* name, std::function<void()> work);

// The same, waited for: threads that the work starts (a driver's) stay there. An exception of the work comes back.
void run_beside_lcores(std::function<void()> const& work);

}  // namespace packetwarp
