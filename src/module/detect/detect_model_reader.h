// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file/yaml_place.h"
#include "function/detect/detect_layout.h"
#include "module/detect/detect_config.h"

namespace packetwarp {

// Read a model of the section `detect`, its file too: one that judges every packet, and the large one, in a section
// with this action. Throw usage_error with FILE:LINE, for a model that does not load, too.
[[nodiscard]] detect_model_config read_detect_model(yaml_place const& place);
// For a model whose verdict decides about the action. Throws usage_error if no score is above the model's threshold,
// and the action would never happen. The threshold is allowed where packets are only counted: it then measures the
// judging.
void require_reachable(yaml_place const& place, detect_model_config const& model, detect_action action);
[[nodiscard]] detect_large_config read_detect_large(yaml_place const& place, detect_action action);

}  // namespace packetwarp
