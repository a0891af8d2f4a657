// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/onnx/onnx_file.h"

namespace packetwarp::model {

// The names of a model's inputs, in their order: the value of the key "features" in the file's metadata_props, with
// commas between. Throws usage_error: there is no such key, or a name is empty, there twice, or not of letters, digits
// and
// "_.-"; or they are more than a row has places.
[[nodiscard]] std::vector<std::string> features_of(onnx::file const& file);

// The place in a row of each of these names: its place among the known ones. Throws usage_error with the name that is
// not known.
[[nodiscard]] std::vector<std::uint32_t> positions_of(std::string const& path, std::span<std::string const> names,
                                                      std::span<std::string_view const> known);

}  // namespace packetwarp::model
