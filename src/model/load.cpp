// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/load.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "model/features.h"
#include "model/graph/graph_walk.h"
#include "model/onnx/versions.h"
#include "model/printable.h"

namespace packetwarp::model {
namespace {

using onnx::element_type;

// Bounds the time and memory that a file may take.
constexpr std::size_t most_parts = 4096;
constexpr std::size_t most_input_dimensions = 4;

void require_size(onnx::file const& file) {
  auto const most = std::max({file.nodes.size(), file.initializers.size(), file.inputs.size()});
  if (most > most_parts) {
    throw usage_error(fmt::format("{}: has {} nodes, {} tensors and {} inputs; allowed are {} of each", file.path,
                                  file.nodes.size(), file.initializers.size(), file.inputs.size(), most_parts));
  }
}

// Writers of old versions list a model's tensors among its inputs, too.
[[nodiscard]] onnx::value_info const& input_of(onnx::file const& file) {
  onnx::value_info const* found = nullptr;
  for (auto const& input : file.inputs) {
    auto const is_tensor = [&](auto const& tensor) { return tensor.name == input.name; };
    if (std::any_of(file.initializers.begin(), file.initializers.end(), is_tensor)) continue;
    if (found != nullptr) {
      throw usage_error(fmt::format("{}: has two inputs, '{}' and '{}'; allowed is one, the matrix of rows", file.path,
                                    printable(found->name), printable(input.name)));
    }
    found = &input;
  }
  if (found == nullptr) throw usage_error(fmt::format("{}: has no input", file.path));
  return *found;
}

void require_input(onnx::file const& file, onnx::value_info const& input, std::size_t features) {
  auto const type = input.type;
  if (type != element_type::float32 && type != element_type::int8 && type != element_type::int32 &&
      type != element_type::int64) {
    throw usage_error(fmt::format("{}: its input '{}' is of the type {}; allowed are float, int8, int32 and int64",
                                  file.path, printable(input.name), onnx::name_of(type)));
  }
  auto const& dims = input.dims;
  if (dims.empty()) return;
  if (dims.size() == 1 || dims.size() > most_input_dimensions) {
    throw usage_error(fmt::format(
        "{}: its input '{}' has {} dimensions; allowed are two, rows and features, or up to {} for sequences",
        file.path, printable(input.name), dims.size(), most_input_dimensions));
  }
  if (dims.size() == 2 && dims[1] == 0) return;
  std::size_t values = 1;
  for (std::size_t i = 1; i < dims.size(); ++i) {
    if (dims[i] < 1 || dims[i] > row_bytes) {
      throw usage_error(fmt::format("{}: its input '{}' has {} in dimension {}; allowed are 1 to {}", file.path,
                                    printable(input.name), dims[i], i, row_bytes));
    }
    values *= static_cast<std::size_t>(dims[i]);
  }
  if (values != features) {
    throw usage_error(fmt::format("{}: its input '{}' has {} values, but metadata_props names {}", file.path,
                                  printable(input.name), values, features));
  }
}

}  // namespace

loaded_model load(onnx::file const& file, std::span<std::string_view const> known) {
  loaded_model made;
  require_size(file);
  onnx::require_known_versions(file);
  made.features = features_of(file);
  auto const& input = input_of(file);
  require_input(file, input, made.features.size());
  graph_walk walk{file, input, positions_of(file.path, made.features, known)};
  for (auto const& node : file.nodes) walk.take(node);
  auto const is_result = [&](auto const& output) { return walk.is_result(output.name); };
  if (std::none_of(file.outputs.begin(), file.outputs.end(), is_result)) {
    throw usage_error(fmt::format("{}: none of its outputs is the result of its last node", file.path));
  }
  if (auto& trees = walk.trees(); trees) {
    made.network = std::move(trees->network);
    made.layers = {trees->facts};
    made.unit = trees->unit;
  } else {
    made.network = walk.layers().finish(file.path);
    made.layers = walk.layers().facts();
    made.unit = walk.layers().unit();
  }
  return made;
}

}  // namespace packetwarp::model
