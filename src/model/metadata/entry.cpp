// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/metadata/entry.h"

#include <fmt/format.h>

#include "base/error.h"

namespace packetwarp::model {

std::string const* metadata_value(onnx::file const& file, std::string_view key) {
  std::string const* found = nullptr;
  for (auto const& [name, value] : file.metadata) {
    if (name != key) continue;
    if (found != nullptr) {
      throw usage_error(
          fmt::format("{}: its metadata_props have the key '{}' twice; allowed is one: set it by "
                      "onnx.helper.set_model_props",
                      file.path, key));
    }
    found = &value;
  }
  return found;
}

}  // namespace packetwarp::model
