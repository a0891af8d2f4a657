// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/packet/passing_positions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <random>
#include <vector>

#include "inspect/compiled/prefilter.h"

namespace packetwarp::inspect {
namespace {

using unsigned_bytes = std::vector<unsigned char>;

std::vector<first_pass> passes_of_this_cpu() {
  std::vector<first_pass> all{plain_first_pass()};
  if (has_first_pass_avx512()) all.push_back(first_pass_avx512());
  return all;
}

// Bytes of a few values, so that windows are found, or of all.
unsigned_bytes random_text(std::mt19937& random, std::size_t size) {
  auto const values = random() % 2 == 0 ? 256U : 4U;
  auto const least = values == 4 ? static_cast<unsigned>('?' + random() % 60) : 0U;
  unsigned_bytes made(size);
  for (auto& byte : made) byte = static_cast<unsigned char>(least + random() % values);
  return made;
}

TEST(first_pass, puts_letters_in_lower_case_and_writes_no_further) {
  std::mt19937 random{1};
  for (std::uint32_t size = 0; size < 300; ++size) {
    auto const text = random_text(random, size);
    for (auto const& by : passes_of_this_cpu()) {
      unsigned_bytes out(size + 2, 0xee);
      by.fold(text.data(), size, out.data() + 1);
      for (std::uint32_t i = 0; i < size; ++i)
        ASSERT_EQ(out[i + 1], text[i] < 0x80 ? std::tolower(text[i]) : text[i]) << i << " of " << size;
      ASSERT_EQ(out.front(), 0xee);
      ASSERT_EQ(out.back(), 0xee);
    }
  }
}

TEST(first_pass, finds_the_positions_that_pass_the_filter) {
  std::mt19937 random{2};
  std::size_t found = 0;
  std::size_t passed_over = 0;
  for (int round = 0; round < 2000; ++round) {
    auto const size = static_cast<std::uint32_t>(random() % 700);
    auto text = random_text(random, size + first_pass::read_beyond);
    for (auto& byte : text) byte = static_cast<unsigned char>(byte < 0x80 ? std::tolower(byte) : byte);
    std::vector<std::uint64_t> filter(first_filter_words);
    first_bytes_sets sets;
    for (unsigned n = 0, windows = static_cast<unsigned>(random() % 50); n < windows; ++n) {
      auto const at = random() % text.size();
      std::uint32_t first = static_cast<std::uint32_t>(random());
      if (at + sizeof first <= text.size() && random() % 4 != 0) std::memcpy(&first, text.data() + at, sizeof first);
      auto const bit = first_bit(first);
      filter[bit >> 6] |= std::uint64_t{1} << (bit & 63);
      sets.add(first);
    }
    auto const begin = size == 0 ? 0 : static_cast<std::uint32_t>(random() % size);
    std::vector<std::uint32_t> wanted;
    for (auto at = begin; at < size; ++at) {
      std::uint32_t first = 0;
      std::memcpy(&first, text.data() + at, sizeof first);
      if (may_begin_window(filter.data(), first)) wanted.push_back(at);
    }
    auto const passes = passes_of_this_cpu();
    for (auto const& by : passes) {
      std::vector<std::uint32_t> passed(size - begin + 1, 0xeeee'eeee);
      passed.resize(by.find(filter.data(), sets, text.data(), begin, size, passed.data()));
      if (&by == &passes.front()) {
        ASSERT_EQ(passed, wanted) << round;
      }
      // A position that passes by chance may be left out with others around it.
      ASSERT_TRUE(std::includes(wanted.begin(), wanted.end(), passed.begin(), passed.end())) << round;
      for (auto const at : wanted) {
        if (std::binary_search(passed.begin(), passed.end(), at)) continue;
        ++passed_over;
        unsigned in = 0xff;
        for (std::uint32_t n = 0; n < first_bytes_sets::bytes; ++n)
          in &= unsigned{sets.lower[n][text[at + n] & 63]} & sets.upper[n][text[at + n] >> 2];
        ASSERT_EQ(in, 0U) << round << ", position " << at;
      }
    }
    found += wanted.size();
  }
  EXPECT_GT(found, 10'000U);
  if (has_first_pass_avx512()) {
    EXPECT_GT(passed_over, 0U);
  }
}

}  // namespace
}  // namespace packetwarp::inspect
