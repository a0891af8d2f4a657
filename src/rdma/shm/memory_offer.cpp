// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/shm/memory_offer.h"

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "base/error.h"

namespace packetwarp::rdma {
namespace {

constexpr std::size_t memory_page = 4096;

// The message that goes with the file. Both ends have one machine's order of bytes.
struct offer {
  static constexpr std::uint64_t right_mark = 0x314d'4853'5750'0001;
  std::uint64_t mark;
  region target;
};
static_assert(std::is_trivially_copyable_v<offer> && sizeof(offer) == 32);

// A message with room for one descriptor.
struct file_message {
  explicit file_message(offer& with) {
    body = {&with, sizeof with};
    head.msg_iov = &body;
    head.msg_iovlen = 1;
    head.msg_control = room.data();
    head.msg_controllen = CMSG_LEN(sizeof(int));  // the room has place for two
  }
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  iovec body{};
  msghdr head{};
};

// The descriptor of a message; none if it brought none.
[[nodiscard]] owned_fd file_of(file_message& message) {
  auto* const control = CMSG_FIRSTHDR(&message.head);
  if (control == nullptr || control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS ||
      control->cmsg_len != CMSG_LEN(sizeof(int)))
    return {};
  int file = -1;
  std::memcpy(&file, CMSG_DATA(control), sizeof file);
  return owned_fd{file};
}

}  // namespace

void give_memory(int connection, region const& own, int file) {
  offer said{offer::right_mark, own};
  file_message message{said};
  auto* const control = CMSG_FIRSTHDR(&message.head);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(sizeof file);
  std::memcpy(CMSG_DATA(control), &file, sizeof file);
  if (::sendmsg(connection, &message.head, MSG_NOSIGNAL | MSG_DONTWAIT) != static_cast<ssize_t>(sizeof said))
    throw failure(std::string{peer_has_ended_line});
}

peer_memory receive_memory(int connection) {
  offer said{};
  file_message message{said};
  auto const n = ::recvmsg(connection, &message.head, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  auto file = file_of(message);  // a message without bytes may have one, too
  if (n <= 0) throw failure(std::string{peer_has_ended_line});
  if (n != static_cast<ssize_t>(sizeof said) || said.mark != offer::right_mark || !file ||
      (message.head.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0)
    throw failure("rdma: the peer tells of its memory in another form: both ends need one version of packetwarp");
  // Words of 8 bytes are aligned here as they are there.
  if (said.target.address % memory_page != 0) throw failure("rdma: the peer's memory does not begin with a page");
  auto const bytes = said.target.bytes;
  return {{said.target.address, bytes, said.target.key, access::remote_write},
          shared_memory::map(std::move(file), bytes)};
}

}  // namespace packetwarp::rdma
