// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// An ONNX file as it is written, without a meaning: the messages of onnx.proto that models of int8 layers and of trees
// have. All other fields are skipped.
namespace packetwarp::model::onnx {

inline constexpr std::uint64_t most_file_bytes = std::uint64_t{64} << 20;
// Bounds of the memory that a file of that size may take: numbers of all tensors and attributes, and messages and
// texts.
inline constexpr std::size_t most_numbers = std::size_t{16} << 20;
inline constexpr std::size_t most_items = std::size_t{1} << 20;

// TensorProto.DataType: the types with values here. A tensor of another type has none.
enum class element_type : std::int32_t { undefined = 0, float32 = 1, uint8 = 2, int8 = 3, int32 = 6, int64 = 7 };
[[nodiscard]] std::string name_of(element_type type);

struct tensor {
  std::string name{};
  element_type type{};
  std::vector<std::int64_t> dims{};
  std::vector<std::int64_t> integers{};  // the values, if the type is one of integers
  std::vector<float> floats{};           // the values of float32
  bool is_external{};                    // the values lie in another file
  [[nodiscard]] std::size_t size() const { return integers.size() + floats.size(); }
};

struct attribute {
  std::string name{};
  std::int64_t integer{};
  float number{};
  std::string text{};
  std::optional<tensor> value{};
  std::vector<std::int64_t> integers{};
  std::vector<float> numbers{};
  std::vector<std::string> texts{};
};

struct node {
  std::string name{};
  std::string op_type{};
  std::string domain{};
  std::vector<std::string> inputs{};  // names of values; empty for an input that is left out
  std::vector<std::string> outputs{};
  std::vector<attribute> attributes{};
  [[nodiscard]] attribute const* find(std::string_view name) const;
};

struct value_info {
  std::string name{};
  element_type type{};
  std::vector<std::int64_t> dims{};  // 0 for a dimension without a number
};

struct file {
  std::string path{};
  std::int64_t format{};                                        // ir_version; 0: the file has none
  std::vector<std::pair<std::string, std::int64_t>> imports{};  // opset_import: domains and versions of operations
  std::vector<node> nodes{};
  std::vector<tensor> initializers{};
  std::vector<value_info> inputs{};
  std::vector<value_info> outputs{};
  std::vector<std::pair<std::string, std::string>> metadata{};  // metadata_props
};

// Reads a model. Throws usage_error with one line, which begins with the path: the file cannot be read, is too large,
// or is no ONNX model. A tensor has as many values as its dimensions say, or is external.
[[nodiscard]] file read_file(std::string const& path);
// The same, of bytes that came from this path.
[[nodiscard]] file read_bytes(std::string const& path, std::span<std::byte const> bytes);

}  // namespace packetwarp::model::onnx
