// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/table_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace packetwarp {
namespace {

std::vector<std::byte> numbers(std::size_t count) {
  std::vector<std::byte> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<std::byte>(i * 7 + 1);
  return all;
}

class table_memory_test : public testing::TestWithParam<std::size_t> {};

TEST_P(table_memory_test, starts_as_zeroes_and_keeps_what_is_written) {
  table_memory memory{{}, GetParam()};
  ASSERT_EQ(memory.size(), GetParam());
  EXPECT_FALSE(memory.is_on_gpu());
  std::vector<std::byte> seen(GetParam(), std::byte{1});
  EXPECT_EQ(memory.read(0, seen), copied::done);
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](auto b) { return b == std::byte{0}; }));
  auto const wanted = numbers(GetParam());
  memory.write(0, wanted);
  EXPECT_EQ(memory.read(0, seen), copied::done);
  EXPECT_EQ(seen, wanted);
}
INSTANTIATE_TEST_SUITE_P(of_sizes, table_memory_test, testing::Values(1, 7, 4096, (std::size_t{4} << 20) + 5));

TEST(table_memory, writes_at_any_offset_and_length_and_nothing_beside) {
  for (std::size_t offset = 0; offset < 9; ++offset) {
    for (std::size_t length = 0; length < 27; ++length) {
      table_memory memory{{}, 64};
      memory.write(offset, numbers(length));
      std::vector<std::byte> wanted(64);
      std::ranges::copy(numbers(length), wanted.begin() + static_cast<std::ptrdiff_t>(offset));
      std::vector<std::byte> seen(64);
      EXPECT_EQ(memory.read(0, seen), copied::done);
      ASSERT_EQ(seen, wanted) << offset << " " << length;
    }
  }
}

TEST(table_memory, large_ones_lie_in_whole_huge_pages) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  std::vector<table_memory> several;
  for (std::size_t const bytes : {huge_page / 4, huge_page - 1, huge_page, huge_page + 1, 5 * huge_page}) {
    auto const& one = several.emplace_back(table_place{}, bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one.data()) % huge_page, 0U) << bytes;
    one.data()[bytes - 1] = std::byte{1};
  }
}

// The share of its pages that the kernel has given, by mincore(2).
[[nodiscard]] double given_share(table_memory const& memory) {
  auto const page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((memory.size() + page - 1) / page);
  EXPECT_EQ(::mincore(memory.data(), memory.size(), pages.data()), 0);
  auto const given = std::count_if(pages.begin(), pages.end(), [](auto one) { return (one & 1) != 0; });
  return static_cast<double>(given) / static_cast<double>(pages.size());
}

TEST(table_memory, has_all_of_its_pages_from_the_start) {
  for (std::size_t const bytes : {std::size_t{4096}, std::size_t{100'000}, (std::size_t{9} << 20) + 5}) {
    EXPECT_EQ(given_share(table_memory{{}, bytes}), 1.0) << bytes;
  }
}

TEST(table_memory, has_no_pages_before_they_are_written_if_only_the_master_writes) {
  table_memory memory{{}, std::size_t{9} << 20, table_pages::when_written};
  EXPECT_EQ(given_share(memory), 0.0);
  memory.write(0, numbers(5));
  EXPECT_GT(given_share(memory), 0.0);
  EXPECT_LT(given_share(memory), 1.0);
}

TEST(table_memory, moves) {
  table_memory first{{}, 128};
  first.write(3, numbers(5));
  auto const* const at = first.data();
  table_memory const second = std::move(first);
  EXPECT_EQ(second.data(), at);
  EXPECT_EQ(std::to_integer<int>(second.data()[3]), 1);
}

TEST(table_memory, more_than_there_is_is_refused_with_one_line) {
  try {
    table_memory const memory{{}, std::size_t{1} << 60};
    FAIL();
  } catch (failure const& error) {
    EXPECT_NE(std::string_view{error.what()}.find("give smaller tables"), std::string_view::npos) << error.what();
  }
}

}  // namespace
}  // namespace packetwarp
