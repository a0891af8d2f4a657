// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace packetwarp {

// The version of the linked CUDA runtime, "13.0"; empty if none is linked. Starts nothing.
[[nodiscard]] std::string cuda_runtime_version();

}  // namespace packetwarp
