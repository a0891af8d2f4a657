// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace packetwarp::doctor {

// The facts that the kernel gives in files. Paths are absolute, as people type them; tests put files below a root of
// their own. Every error is a failure with one line: the path, and why it cannot be read.
class machine_reader {
 public:
  explicit machine_reader(std::filesystem::path root = "/") : root_{std::move(root)} {}

  [[nodiscard]] bool has(std::string_view path) const;
  // The first MiB of a file. Throws.
  [[nodiscard]] std::string text(std::string_view path) const;
  // The first line of a file, without blanks around it. Throws.
  [[nodiscard]] std::string line(std::string_view path) const;
  // The number that a file holds alone. Throws, also if the file holds something else.
  [[nodiscard]] std::uint64_t number(std::string_view path) const;
  // The text after "key:" in a file of lines in this form. Throws if the file cannot be read.
  [[nodiscard]] std::optional<std::string> field(std::string_view path, std::string_view key) const;
  // The value of "key: 12 kB" in such a file, in bytes. Throws.
  [[nodiscard]] std::uint64_t kilobytes(std::string_view path, std::string_view key) const;
  // The entries of a folder, in order; empty if none exists.
  [[nodiscard]] std::vector<std::string> names(std::string_view folder) const;
  // The last name of a link's target; empty without a link.
  [[nodiscard]] std::string target(std::string_view link) const;
  // The names on the path from the root to a path's target, with links resolved. Throws.
  [[nodiscard]] std::vector<std::string> way_to(std::string_view path) const;

  // For fixes: writes a number into an existing file. Throws.
  void write(std::string_view path, std::uint64_t value) const;

 private:
  [[nodiscard]] std::filesystem::path below_root(std::string_view path) const;

  std::filesystem::path root_;
};

}  // namespace packetwarp::doctor
