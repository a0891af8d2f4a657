// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/error.h"

namespace packetwarp {

// A file with two uses, one of which would destroy what the other needs.
class shared_file final : public usage_error {
 public:
  shared_file(std::string const& line, std::string written) : usage_error{line}, written_{std::move(written)} {}
  // The name by which it would be written.
  [[nodiscard]] std::string const& written() const { return written_; }

 private:
  std::string written_;
};

// Throws shared_file if a file is both read and written, or written twice. Names that are empty or "-", devices, pipes
// and sockets are left out. Called before a file is opened for writing.
void require_distinct_files(std::span<std::string const> read, std::span<std::string const> written);

// A file that exists, whatever its name is (stat(2)).
struct file_id {
  std::uint64_t device{};
  std::uint64_t inode{};
  friend bool operator==(file_id const&, file_id const&) = default;
};
// The one of `names` that is a name of this file; nullptr if none is.
[[nodiscard]] std::string const* find_file(file_id wanted, std::span<std::string const> names);

// Throws usage_error unless a new file may come in place of `path`: it must be a regular file, if it exists, and none
// of `own`, the files of this process. Empty names and "-" are left out of these.
void require_replaceable(std::string const& path, std::span<std::string const> own);

}  // namespace packetwarp
