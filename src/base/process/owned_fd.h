// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <utility>

namespace packetwarp {

// A file descriptor, closed with its owner.
class owned_fd {
 public:
  owned_fd() = default;
  explicit owned_fd(int fd) : fd_{fd} {}
  owned_fd(owned_fd&& other) noexcept : fd_{std::exchange(other.fd_, none)} {}
  owned_fd& operator=(owned_fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~owned_fd() {
    if (fd_ != none) (void)::close(fd_);
  }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] explicit operator bool() const { return fd_ != none; }

 private:
  static constexpr int none = -1;
  int fd_{none};
};

}  // namespace packetwarp
