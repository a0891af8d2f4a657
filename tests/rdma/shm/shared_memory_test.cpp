// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/shm/shared_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"

namespace packetwarp::rdma {
namespace {

constexpr std::size_t two_pages = 8192;

// The descriptor as another process gets it.
[[nodiscard]] owned_fd passed(int file) { return owned_fd{::fcntl(file, F_DUPFD_CLOEXEC, 0)}; }
[[nodiscard]] owned_fd memory_file(std::size_t bytes, unsigned flags, int seals) {
  owned_fd made{::memfd_create("test", MFD_CLOEXEC | flags)};
  EXPECT_EQ(::ftruncate(made.get(), static_cast<off_t>(bytes)), 0);
  if (seals != 0) {
    EXPECT_EQ(::fcntl(made.get(), F_ADD_SEALS, seals), 0);
  }
  return made;
}
[[nodiscard]] std::string refusal_of_file(owned_fd file, std::size_t bytes) {
  try {
    (void)shared_memory::map(std::move(file), bytes);
  } catch (failure const& wrong) {
    return wrong.what();
  }
  return "it is mapped";
}

TEST(shared_memory, of_two_mappings_is_the_same) {
  auto const own = shared_memory::make(two_pages);
  auto const others = shared_memory::map(passed(own.file()), two_pages);
  ASSERT_EQ(own.bytes().size(), two_pages);
  ASSERT_NE(own.bytes().data(), others.bytes().data());
  EXPECT_TRUE(std::ranges::all_of(own.bytes(), [](auto byte) { return byte == std::byte{0}; }));
  others.bytes()[two_pages - 1] = std::byte{7};
  EXPECT_EQ(own.bytes()[two_pages - 1], std::byte{7});
}

TEST(shared_memory, keeps_its_size_whatever_an_end_does) {
  auto const own = shared_memory::make(two_pages);
  auto const file = passed(own.file());
  EXPECT_NE(::ftruncate(file.get(), 0), 0);
  EXPECT_NE(::ftruncate(file.get(), 2 * two_pages), 0);
  EXPECT_NE(::fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE), 0);
  own.bytes()[two_pages - 1] = std::byte{1};
}

TEST(shared_memory, outlives_the_end_that_made_it) {
  auto own = shared_memory::make(two_pages);
  auto const others = shared_memory::map(passed(own.file()), two_pages);
  own.bytes()[0] = std::byte{9};
  { auto const ended = std::move(own); }
  EXPECT_EQ(others.bytes()[0], std::byte{9});
  others.bytes()[two_pages - 1] = std::byte{1};
}

TEST(shared_memory, is_refused_if_its_size_can_change) {
  constexpr auto line = "rdma: the size of the peer's memory is not sealed, so that the peer could take it back";
  EXPECT_EQ(refusal_of_file(memory_file(two_pages, MFD_ALLOW_SEALING, 0), two_pages), line);
  EXPECT_EQ(refusal_of_file(memory_file(two_pages, MFD_ALLOW_SEALING, F_SEAL_GROW), two_pages), line);
  EXPECT_EQ(refusal_of_file(memory_file(two_pages, 0, 0), two_pages), line);
}

TEST(shared_memory, is_refused_if_it_has_another_size_than_was_told) {
  constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW;
  EXPECT_EQ(refusal_of_file(memory_file(two_pages, MFD_ALLOW_SEALING, seals), 2 * two_pages),
            "rdma: the peer's memory has 8192 bytes, and the peer tells of 16384");
  EXPECT_EQ(refusal_of_file(memory_file(0, MFD_ALLOW_SEALING, seals), 0),
            "rdma: the peer's memory has 0 bytes, and the peer tells of 0");
}

TEST(shared_memory, is_refused_if_it_is_no_memory_file) {
  constexpr auto line = "rdma: the peer's file is no memory file";
  EXPECT_EQ(refusal_of_file(owned_fd{::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)}, two_pages), line);
  EXPECT_EQ(refusal_of_file(owned_fd{::open("/dev/zero", O_RDWR | O_CLOEXEC)}, two_pages), line);
  EXPECT_EQ(refusal_of_file(owned_fd{}, two_pages), line);
}

// A hole of huge pages has no page afterwards if the machine has none left.
TEST(shared_memory, is_refused_if_it_has_huge_pages) {
  owned_fd file{::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB)};
  constexpr std::size_t huge = 2 << 20;
  if (!file || ::ftruncate(file.get(), huge) != 0) GTEST_SKIP() << "this kernel has no huge pages";
  ASSERT_EQ(::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
  EXPECT_EQ(refusal_of_file(std::move(file), huge), "rdma: the peer's file is no memory file");
}

}  // namespace
}  // namespace packetwarp::rdma
