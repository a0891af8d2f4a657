// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/onnx/onnx_file.h"

namespace packetwarp::model::onnx {

// Refuses a file whose format or operations are of versions that are not known here, and one that does not say of which
// versions its nodes are (docs/models.md). Throws usage_error with one line.
void require_known_versions(file const& file);

}  // namespace packetwarp::model::onnx
