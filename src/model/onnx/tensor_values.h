// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "model/onnx/onnx_file.h"

namespace packetwarp::model::onnx {

[[nodiscard]] bool has_values(element_type type);
// The size of a value of a type that has values.
[[nodiscard]] std::size_t bytes_of(element_type type);

// Appends the values that lie in raw_data. Throws malformed_message if the tensor has values by a typed field too, or
// if the bytes end within a value.
void decode_raw(std::span<std::byte const> raw, tensor& into);

// Throws malformed_message for a tensor with more or fewer values than its dimensions say, or with a value that its
// type cannot have.
void require_sound(tensor const& read);

}  // namespace packetwarp::model::onnx
