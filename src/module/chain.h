// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file/yaml_place.h"
#include "function/function_facts.h"

namespace packetwarp {

// The chain of stages that a network's file asks for: its `chain`, or stages whose sections are there. The stage that
// routes may be left out where the chain is compiled with it alone. Throws usage_error with FILE:LINE for a chain that
// is not compiled, or does not go with the file's sections. Pure.
[[nodiscard]] function_facts const& chain_of(yaml_place const& root);

// Whether packets are routed by the addresses and routes of the network.
[[nodiscard]] bool is_routed(function_facts const& chain);

}  // namespace packetwarp
