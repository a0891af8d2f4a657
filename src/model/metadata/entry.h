// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "model/onnx/onnx_file.h"

namespace packetwarp::model {

// Finds the value of a key of a file's metadata_props. The file owns the value; the result is null if the file lacks
// the key. Throws usage_error if the file has the key twice: other programs may read the other value.
[[nodiscard]] std::string const* metadata_value(onnx::file const& file, std::string_view key);

}  // namespace packetwarp::model
