// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/shm/shared_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/units.h"

namespace packetwarp::rdma {
namespace {

constexpr int size_seals = F_SEAL_SHRINK | F_SEAL_GROW;

// Huge pages are no possible kind: a process may punch a hole into them, and the other one then has no page.
[[nodiscard]] bool is_memory_file(int file) {
  struct statfs found {};
  return ::fstatfs(file, &found) == 0 && found.f_type == TMPFS_MAGIC;
}

}  // namespace

shared_memory shared_memory::make(std::size_t bytes) {
  owned_fd file{::memfd_create("packetwarp-rdma", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
  if (!file) throw failure(fmt::format("rdma: no memory file: {}", std::strerror(errno)));
  if (auto const error = ::posix_fallocate(file.get(), 0, static_cast<off_t>(bytes)); error != 0)
    throw failure(fmt::format("rdma: {} of shared memory are needed: {}", format_size(bytes), std::strerror(error)));
  if (::fcntl(file.get(), F_ADD_SEALS, size_seals | F_SEAL_SEAL) != 0)
    throw failure(fmt::format("rdma: the size of shared memory cannot be sealed: {}", std::strerror(errno)));
  return {std::move(file), bytes};
}

shared_memory shared_memory::map(owned_fd file, std::size_t bytes) {
  struct stat found {};
  if (::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode) || !is_memory_file(file.get()))
    throw failure("rdma: the peer's file is no memory file");
  auto const seals = ::fcntl(file.get(), F_GET_SEALS);
  if (seals < 0 || (seals & size_seals) != size_seals)
    throw failure("rdma: the size of the peer's memory is not sealed, so that the peer could take it back");
  if (bytes == 0 || std::cmp_not_equal(found.st_size, bytes))
    throw failure(fmt::format("rdma: the peer's memory has {} bytes, and the peer tells of {}", found.st_size, bytes));
  return {std::move(file), bytes};
}

shared_memory::shared_memory(owned_fd file, std::size_t bytes) : file_{std::move(file)} {
  // All pages are mapped now: a write then has no page fault.
  auto* const found = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file_.get(), 0);
  if (found == MAP_FAILED)
    throw failure(
        fmt::format("rdma: {} of shared memory cannot be mapped: {}", format_size(bytes), std::strerror(errno)));
  bytes_ = {static_cast<std::byte*>(found), bytes};
}

shared_memory::~shared_memory() {
  if (!bytes_.empty()) (void)::munmap(bytes_.data(), bytes_.size());
}

}  // namespace packetwarp::rdma
