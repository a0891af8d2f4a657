// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/bandwidth/pattern.h"

#include <algorithm>
#include <cstring>

namespace packetwarp::rdma {

void fill_pattern(std::span<std::byte> into, std::uint64_t seed, std::size_t begin) {
  for (std::size_t at = 0; at < into.size(); at += sizeof(std::uint64_t)) {
    // SplitMix64's mix of the place.
    auto word = (begin + at + 1) * 0x9e37'79b9'7f4a'7c15 + seed * 0xd134'2543'de82'ef95;
    word = (word ^ word >> 30) * 0xbf58'476d'1ce4'e5b9;
    word = (word ^ word >> 27) * 0x94d0'49bb'1331'11eb;
    word ^= word >> 31;
    std::memcpy(into.data() + at, &word, std::min(sizeof word, into.size() - at));
  }
}

std::vector<std::byte> make_pattern(std::size_t bytes, std::uint64_t seed) {
  std::vector<std::byte> made(bytes);
  fill_pattern(made, seed, 0);
  return made;
}

std::size_t first_difference(std::span<std::byte const> found, std::span<std::byte const> expected) {
  if (std::memcmp(found.data(), expected.data(), expected.size()) == 0) return expected.size();
  auto const [one, other] = std::mismatch(found.begin(), found.end(), expected.begin());
  return static_cast<std::size_t>(one - found.begin());
}

}  // namespace packetwarp::rdma
