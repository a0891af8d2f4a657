// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/shm/peer_link.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <functional>
#include <future>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/process/stop.h"
#include "rdma/network/queue_key.h"

namespace packetwarp::rdma {
namespace {

using namespace std::chrono_literals;
constexpr std::size_t some_bytes = 8192;

[[nodiscard]] region region_at(std::uint64_t address, std::uint32_t key) {
  return {.address = address, .bytes = some_bytes, .key = key, .rights = access::remote_write};
}

// The line of an end whose peer has this GID.
[[nodiscard]] std::string line_of_trade(peer_link& own, peer_link::gid const& peer) {
  auto const memory = shared_memory::make(some_bytes);
  try {
    (void)own.trade(peer, region_at(0x1000, 1), memory.file());
  } catch (failure const& wrong) {
    return wrong.what();
  }
  return "it has the peer's memory";
}

// A peer that says what it likes: its socket, whose name a GID tells.
class any_peer {
 public:
  any_peer() {
    auto const address = address_of(gid());
    EXPECT_EQ(::bind(listener_.get(), address.first.get(), address.second), 0);
    EXPECT_EQ(::listen(listener_.get(), 4), 0);
  }
  [[nodiscard]] static peer_link::gid gid() { return {'p', 'w', '-', 's', 'h', 'm', 0, 1, 1, 2, 3, 4, 5, 6, 7, 8}; }
  // Connects to an end, whose connection it then takes, and gives it a message and so many copies of a file.
  void say(peer_link::gid const& to, std::span<std::byte const> text, owned_fd const& file, std::size_t files) {
    to_ = connect(to);
    from_ = owned_fd{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    iovec body{const_cast<std::byte*>(text.data()), text.size()};
    alignas(cmsghdr) char room[CMSG_SPACE(2 * sizeof(int))]{};
    msghdr message{};
    message.msg_iov = &body;
    message.msg_iovlen = 1;
    if (file) {
      message.msg_control = room;
      message.msg_controllen = CMSG_LEN(files * sizeof(int));
      auto* const control = CMSG_FIRSTHDR(&message);
      control->cmsg_level = SOL_SOCKET;
      control->cmsg_type = SCM_RIGHTS;
      control->cmsg_len = CMSG_LEN(files * sizeof(int));
      std::array const numbers{file.get(), file.get()};
      std::memcpy(CMSG_DATA(control), numbers.data(), files * sizeof(int));
    }
    EXPECT_EQ(::sendmsg(from_.get(), &message, MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  [[nodiscard]] static owned_fd connect(peer_link::gid const& to) {
    owned_fd made{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
    auto const address = address_of(to);
    EXPECT_EQ(::connect(made.get(), address.first.get(), address.second), 0);
    return made;
  }

 private:
  struct name {
    sockaddr_un at{};
    [[nodiscard]] sockaddr const* get() const { return reinterpret_cast<sockaddr const*>(&at); }
  };
  [[nodiscard]] static std::pair<name, socklen_t> address_of(peer_link::gid const& of) {
    name made;
    made.at.sun_family = AF_UNIX;
    std::string text{"packetwarp-rdma-"};
    for (auto const byte : std::span{of}.subspan(8)) text += fmt::format("{:02x}", byte);
    std::memcpy(made.at.sun_path + 1, text.data(), text.size());
    return {made, static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size())};
  }

  owned_fd listener_{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
  owned_fd to_, from_;
};

struct told_memory {
  std::uint64_t mark{0x314d'4853'5750'0001};
  region target{region_at(0x7000, 9)};
};

// The line of an end whose peer tells this of its memory, beside the file.
[[nodiscard]] std::string line_of_message(std::span<std::byte const> text, owned_fd const& file,
                                          std::size_t files = 1) {
  any_peer peer;
  peer_link own;
  auto said = std::async(std::launch::async, [&] { return line_of_trade(own, any_peer::gid()); });
  peer.say(own.own_gid(), text, file, files);
  return said.get();
}
[[nodiscard]] std::string line_of_message(told_memory const& text, owned_fd const& file) {
  return line_of_message(std::as_bytes(std::span{&text, 1}), file);
}
[[nodiscard]] owned_fd duplicate(shared_memory const& memory) { return owned_fd{::dup(memory.file())}; }

// Runs as another user, in a thread of its own, whose user the kernel then tells peers. Root alone can.
void as_another_user(std::function<void()> const& run) {
  std::thread{[&] {
    ASSERT_EQ(::syscall(SYS_setresuid, -1, 65534, -1), 0);
    run();
  }}.join();
}

TEST(peer_link, gives_each_end_the_others_region_and_memory) {
  peer_link one, other;
  auto const memory = shared_memory::make(some_bytes), others = shared_memory::make(some_bytes);
  auto far =
      std::async(std::launch::async, [&] { return other.trade(one.own_gid(), region_at(0x2000, 22), others.file()); });
  auto const found = one.trade(other.own_gid(), region_at(0x1000, 11), memory.file());
  auto const far_found = far.get();
  EXPECT_EQ(found.known.address, 0x2000U);
  EXPECT_EQ(found.known.key, 22U);
  EXPECT_EQ(found.known.bytes, some_bytes);
  EXPECT_EQ(far_found.known.address, 0x1000U);
  EXPECT_EQ(far_found.known.key, 11U);
  found.memory.bytes()[5] = std::byte{1};
  far_found.memory.bytes()[6] = std::byte{2};
  EXPECT_EQ(others.bytes()[5], std::byte{1});
  EXPECT_EQ(memory.bytes()[6], std::byte{2});
  EXPECT_FALSE(one.peer_has_ended(0ms));
  other.close();
  EXPECT_TRUE(one.peer_has_ended(10s));
}

TEST(peer_link, refuses_a_peer_of_a_network) {
  peer_link own;
  EXPECT_EQ(line_of_trade(own, gid_of({0x7f00'0001})),
            "rdma: the peer shares no memory: both ends need --transport shm of packetwarp");
}

TEST(peer_link, refuses_a_peer_of_another_machine) {
  peer_link own;
  EXPECT_EQ(line_of_trade(own, any_peer::gid()),
            "rdma: the peer's memory is not reached: Connection refused: both ends of --transport shm run on one "
            "machine, in one network namespace");
}

TEST(peer_link, ends_when_the_peer_ends_before_it_has_come) {
  peer_link own;
  std::optional<peer_link> peer{std::in_place};
  auto const gid = peer->own_gid();
  auto said = std::async(std::launch::async, [&] { return line_of_trade(own, gid); });
  std::this_thread::sleep_for(100ms);  // it has connected, most likely
  peer.reset();
  EXPECT_TRUE(said.get().starts_with("rdma: the peer")) << "has ended, or is not reached";
}

TEST(peer_link, waits_no_longer_once_the_user_asks_to_stop) {
  peer_link own;
  peer_link const silent;
  request_stop();
  EXPECT_EQ(line_of_trade(own, silent.own_gid()), "rdma: interrupted while it waited for the peer");
  clear_stop_request();
}

TEST(peer_link, refuses_a_message_of_another_form) {
  constexpr auto line = "rdma: the peer tells of its memory in another form: both ends need one version of packetwarp";
  auto const memory = shared_memory::make(some_bytes);
  told_memory const right;
  auto const text = std::as_bytes(std::span{&right, 1});
  EXPECT_EQ(line_of_message(text, duplicate(memory)), "it has the peer's memory");
  EXPECT_EQ(line_of_message(text.first(text.size() - 1), duplicate(memory)), line);
  EXPECT_EQ(line_of_message(text, {}), line) << "no file";
  EXPECT_EQ(line_of_message(text, duplicate(memory), 2), line) << "two files";
  EXPECT_EQ(line_of_message({.mark = 1}, duplicate(memory)), line);
  std::array<told_memory, 2> const twice{};
  EXPECT_EQ(line_of_message(std::as_bytes(std::span{twice}), duplicate(memory)), line);
}

TEST(peer_link, refuses_memory_that_is_not_as_it_is_told) {
  auto const memory = shared_memory::make(some_bytes);
  EXPECT_EQ(line_of_message({.target = region_at(0x7001, 9)}, duplicate(memory)),
            "rdma: the peer's memory does not begin with a page");
  auto larger = region_at(0x7000, 9);
  larger.bytes *= 2;
  EXPECT_EQ(line_of_message({.target = larger}, duplicate(memory)),
            "rdma: the peer's memory has 8192 bytes, and the peer tells of 16384");
  owned_fd shrinks{::memfd_create("test", MFD_CLOEXEC)};
  ASSERT_EQ(::ftruncate(shrinks.get(), some_bytes), 0);
  EXPECT_EQ(line_of_message(told_memory{}, shrinks),
            "rdma: the size of the peer's memory is not sealed, so that the peer could take it back");
}

TEST(peer_link, gives_nothing_to_another_user) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  peer_link one, other;
  owned_fd strange;
  as_another_user([&] { strange = any_peer::connect(one.own_gid()); });
  auto const memory = shared_memory::make(some_bytes), others = shared_memory::make(some_bytes);
  auto far =
      std::async(std::launch::async, [&] { return other.trade(one.own_gid(), region_at(0x2000, 22), others.file()); });
  EXPECT_EQ(one.trade(other.own_gid(), region_at(0x1000, 11), memory.file()).known.key, 22U);
  EXPECT_EQ(far.get().known.key, 11U);
  std::byte any{};
  EXPECT_EQ(::recv(strange.get(), &any, 1, 0), 0) << "its connection is closed, and it was told nothing";
}

TEST(peer_link, takes_nothing_from_another_user) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  std::optional<peer_link> strange;
  as_another_user([&] { strange.emplace(); });
  peer_link own;
  EXPECT_EQ(line_of_trade(own, strange->own_gid()),
            "rdma: the peer's process belongs to user 65534, and this one to user 0: run both as one");
}

}  // namespace
}  // namespace packetwarp::rdma
