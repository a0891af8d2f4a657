// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Any message of another process in place of its offer of memory, with any kind of file: it is mapped, with the size
// that it has, or refused; and no descriptor stays open.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "base/error.h"
#include "base/process/owned_fd.h"
#include "rdma/shm/memory_offer.h"

namespace {

using namespace packetwarp;

void require(bool holds) {
  if (!holds) std::abort();
}

constexpr std::size_t page = 4096;
constexpr std::size_t most_message = 256;

// A message's files: none, memory files whose size is sealed or not, and others.
enum class files : std::uint8_t { none, sealed, small, unsealed, grows, device, pipe, two };
constexpr unsigned kinds_of_files = 8;

[[nodiscard]] owned_fd memory_file(std::size_t bytes, int seals) {
  owned_fd made{::memfd_create("offer", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
  require(made && ::ftruncate(made.get(), static_cast<off_t>(bytes)) == 0);
  require(::fcntl(made.get(), F_ADD_SEALS, seals) == 0);
  return made;
}
[[nodiscard]] owned_fd file_of(files kind, std::size_t pages) {
  constexpr int sealed = F_SEAL_SHRINK | F_SEAL_GROW;
  switch (kind) {
    case files::none:
      return {};
    case files::sealed:
    case files::two:
      return memory_file(pages * page, sealed);
    case files::small:
      return memory_file(pages, sealed);
    case files::unsealed:
      return memory_file(pages * page, 0);
    case files::grows:
      return memory_file(pages * page, F_SEAL_SHRINK);
    case files::device:
      return owned_fd{::open("/dev/zero", O_RDWR | O_CLOEXEC)};
    case files::pipe: {
      std::array<int, 2> ends{};
      require(::pipe2(ends.data(), O_CLOEXEC) == 0);
      owned_fd const writes{ends[1]};
      return owned_fd{ends[0]};
    }
  }
  return {};
}

// False: the kernel sends no such message.
[[nodiscard]] bool send(int connection, std::span<std::byte const> bytes, int file, files kind) {
  iovec body{const_cast<std::byte*>(bytes.data()), bytes.size()};
  std::array<int, 2> const sent{file, file};
  auto const size = (kind == files::two ? 2 : 1) * sizeof(int);
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof sent)> room{};
  msghdr head{};
  head.msg_iov = &body;
  head.msg_iovlen = 1;
  if (file >= 0) {
    head.msg_control = room.data();
    head.msg_controllen = CMSG_LEN(size);
    auto* const control = CMSG_FIRSTHDR(&head);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(control), sent.data(), size);
  }
  return ::sendmsg(connection, &head, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(bytes.size());
}

[[nodiscard]] int lowest_free_descriptor() {
  owned_fd const found{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  return found.get();
}

void take_offer(std::span<std::byte const> bytes, files kind, std::size_t pages) {
  std::array<int, 2> ends{};
  require(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0);
  owned_fd const here{ends[0]}, there{ends[1]};
  auto file = file_of(kind, pages);
  if (!send(there.get(), bytes, file ? file.get() : -1, kind)) return;
  auto const before = lowest_free_descriptor();
  try {
    auto const taken = rdma::receive_memory(here.get());
    require(kind == files::sealed || kind == files::small);
    auto const target = taken.memory.bytes();
    require(target.size() == (kind == files::small ? pages : pages * page) && taken.known.bytes == target.size());
    require(taken.known.address % page == 0 && taken.known.rights == rdma::access::remote_write);
    target.front() = target.back() = std::byte{1};  // each page is there
  } catch (failure const& refused) {
    require(std::strncmp(refused.what(), "rdma: ", 6) == 0);
  }
  require(lowest_free_descriptor() == before);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 2 || size - 2 > most_message) return 0;
  take_offer({reinterpret_cast<std::byte const*>(data) + 2, size - 2}, static_cast<files>(data[0] % kinds_of_files),
             data[1] % 4U);
  return 0;
}
