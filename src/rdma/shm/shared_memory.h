// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "base/process/owned_fd.h"

namespace packetwarp::rdma {

// Memory that two processes map: an anonymous file of the kernel's (memfd). Its size is sealed, so that neither process
// can take a page from the other, whose next access would end it (SIGBUS). It lives as long as a process maps it.
class shared_memory {
 public:
  shared_memory() = default;
  // Memory of zeroes, which is allocated at once; bytes: a multiple of the page. Throws failure.
  [[nodiscard]] static shared_memory make(std::size_t bytes);
  // Maps the memory of another process. Throws failure if the file is no memory file, has another size, or its size is
  // not sealed.
  [[nodiscard]] static shared_memory map(owned_fd file, std::size_t bytes);

  shared_memory(shared_memory&& other) noexcept { swap(other); }
  shared_memory& operator=(shared_memory&& other) noexcept {
    swap(other);
    return *this;
  }
  ~shared_memory();

  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
  // The file, for the other process. It stays this object's.
  [[nodiscard]] int file() const { return file_.get(); }

 private:
  shared_memory(owned_fd file, std::size_t bytes);
  void swap(shared_memory& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(bytes_, other.bytes_);
  }

  owned_fd file_;
  std::span<std::byte> bytes_;
};

}  // namespace packetwarp::rdma
