// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file/yaml_place.h"
#include "function/function_facts.h"

namespace packetwarp {

// The chain of stages of a network's file: its `chain`, or the stages whose sections it has. The stage that routes may
// be left out if only the chain with it is compiled. The result is the chain that is compiled by itself, or a part of
// the general chain if there is none or `chain_as` asks for it. Throws usage_error with FILE:LINE for a chain that is
// neither, or contradicts the file's sections. Pure.
[[nodiscard]] function_facts const& chain_of(yaml_place const& root);

// Whether the chain routes packets by the addresses and routes of the network.
[[nodiscard]] bool is_routed(function_facts const& chain);

}  // namespace packetwarp
