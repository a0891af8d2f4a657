// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/onnx/onnx_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "base/process/pipe_wait.h"
#include "model/onnx/message_parser.h"

namespace packetwarp::model::onnx {
namespace {

struct close_model {
  void operator()(std::FILE* open) const { std::fclose(open); }
};

[[nodiscard]] std::vector<std::byte> bytes_of_file(std::string const& path) {
  if (std::filesystem::is_directory(path))
    throw usage_error(fmt::format("{}: is a directory; give an ONNX file", path));
  pipe_wait const beside{path};
  std::unique_ptr<std::FILE, close_model> const open{std::fopen(path.c_str(), "rb")};
  if (!open) throw usage_error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  std::vector<std::byte> bytes;
  constexpr std::size_t piece = std::size_t{1} << 16;
  for (std::size_t got = piece; got == piece;) {
    auto const before = bytes.size();
    bytes.resize(before + piece);
    got = std::fread(bytes.data() + before, 1, piece, open.get());
    bytes.resize(before + got);
    if (bytes.size() > most_file_bytes) {
      throw usage_error(
          fmt::format("{}: is larger than {} MiB; no model that suits packets is", path, most_file_bytes >> 20));
    }
  }
  if (std::ferror(open.get()) != 0)
    throw usage_error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  return bytes;
}

}  // namespace

std::string name_of(element_type type) {
  switch (type) {
    case element_type::undefined:
      return "undefined";
    case element_type::float32:
      return "float";
    case element_type::uint8:
      return "uint8";
    case element_type::int8:
      return "int8";
    case element_type::int32:
      return "int32";
    case element_type::int64:
      return "int64";
  }
  return fmt::format("number {}", static_cast<std::int32_t>(type));
}

attribute const* node::find(std::string_view wanted) const {
  auto const found =
      std::find_if(attributes.begin(), attributes.end(), [&](auto const& one) { return one.name == wanted; });
  return found == attributes.end() ? nullptr : &*found;
}

file read_bytes(std::string const& path, std::span<std::byte const> bytes) {
  try {
    file made;
    made.path = path;
    message_parser{}.read_model(bytes, made);
    return made;
  } catch (malformed_message const& wrong) {
    throw usage_error(fmt::format("{}: is no ONNX model: {}", path, wrong.what()));
  }
}

file read_file(std::string const& path) { return read_bytes(path, bytes_of_file(path)); }

}  // namespace packetwarp::model::onnx
