// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "fuzz/input.h"

namespace packetwarp::fuzz {

// A file without a disk, for readers that need a path. A single one per process suffices: its content is replaced.
class memory_file {
 public:
  memory_file() : file_{::memfd_create("fuzz", 0)}, path_{"/proc/self/fd/" + std::to_string(file_)} {
    require(file_ >= 0);
  }
  memory_file(memory_file const&) = delete;
  memory_file& operator=(memory_file const&) = delete;
  ~memory_file() { (void)::close(file_); }

  void hold(std::uint8_t const* data, std::size_t size) const {
    require(::ftruncate(file_, 0) == 0);
    require(::pwrite(file_, data, size, 0) == static_cast<::ssize_t>(size));
  }
  [[nodiscard]] std::string const& path() const { return path_; }

 private:
  int file_;
  std::string path_;
};

}  // namespace packetwarp::fuzz
