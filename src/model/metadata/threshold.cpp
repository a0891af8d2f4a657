// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/metadata/threshold.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <system_error>

#include "base/error.h"
#include "model/metadata/entry.h"

namespace packetwarp::model {

std::optional<double> finite_number_in(std::string const& text) {
  double value{};
  auto const* const end = text.data() + text.size();
  auto const read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> threshold_of(onnx::file const& file) {
  auto const* const found = metadata_value(file, threshold_key);
  if (found == nullptr) return std::nullopt;
  auto const value = finite_number_in(*found);
  if (!value) {
    throw usage_error(fmt::format("{}: the '{}' in its metadata_props is no number", file.path, threshold_key));
  }
  return value;
}

}  // namespace packetwarp::model
