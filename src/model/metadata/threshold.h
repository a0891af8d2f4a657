// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/onnx/onnx_file.h"

namespace packetwarp::model {

// The key of a file's metadata_props that has its threshold: a packet with a higher score is anomalous.
inline constexpr std::string_view threshold_key = "threshold";

// The number that the whole text is; nothing if it is none, or not finite.
[[nodiscard]] std::optional<double> finite_number_in(std::string const& text);

// The file's own threshold, in the model's own units; nothing if the file has none. Throws usage_error if it is no
// number, or if the file has two.
[[nodiscard]] std::optional<double> threshold_of(onnx::file const& file);

}  // namespace packetwarp::model
