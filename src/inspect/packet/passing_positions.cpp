// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/packet/passing_positions.h"

#include <cstring>

#include "inspect/compiled/prefilter.h"

namespace packetwarp::inspect {
namespace plain {
namespace {

// Pointers to memory apart from each other: compilers then take 16 bytes at a time.
void fold(unsigned char const* __restrict in, std::uint32_t size, unsigned char* __restrict out) {
  for (std::uint32_t i = 0; i < size; ++i) {
    auto const c = in[i];
    out[i] = static_cast<unsigned char>(c | (static_cast<unsigned char>(c - 'A') < 26 ? 'a' - 'A' : 0));
  }
}

std::uint32_t find(std::uint64_t const* filter, first_bytes_sets const&, unsigned char const* folded,
                   std::uint32_t begin, std::uint32_t end, std::uint32_t* passed) {
  std::uint32_t count = 0;
  for (auto at = begin; at < end; ++at) {
    std::uint32_t first = 0;
    std::memcpy(&first, folded + at, sizeof first);
    passed[count] = at;
    count += may_begin_window(filter, first) ? 1U : 0U;
  }
  return count;
}

}  // namespace
}  // namespace plain

void first_bytes_sets::add(std::uint32_t first) {
  // Windows whose first bytes are next to each other are in one set.
  auto const set = static_cast<std::uint8_t>(1U << (first >> 2 & 7));
  for (std::uint32_t n = 0; n < bytes; ++n) {
    auto const byte = first >> (8 * n) & 0xff;
    lower[n][byte & (values - 1)] |= set;
    upper[n][byte >> 2] |= set;
  }
}

first_pass plain_first_pass() { return {.fold = plain::fold, .find = plain::find}; }

first_pass best_first_pass() { return has_first_pass_avx512() ? first_pass_avx512() : plain_first_pass(); }

}  // namespace packetwarp::inspect
