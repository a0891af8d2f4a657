// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/packet/passing_positions.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <bit>

#include "inspect/compiled/prefilter.h"

#define PACKETWARP_FIRST_PASS __attribute__((target("avx2,avx512f,avx512bw,avx512vbmi,popcnt")))

namespace packetwarp::inspect {
namespace avx512 {
namespace {

PACKETWARP_FIRST_PASS __m512i in_lower_case(__m512i bytes) {
  auto const from_a = _mm512_sub_epi8(bytes, _mm512_set1_epi8('A'));
  auto const letters = _mm512_cmplt_epu8_mask(from_a, _mm512_set1_epi8(26));
  return _mm512_mask_add_epi8(bytes, letters, bytes, _mm512_set1_epi8('a' - 'A'));
}

PACKETWARP_FIRST_PASS void fold(unsigned char const* in, std::uint32_t size, unsigned char* out) {
  constexpr std::uint32_t at_once = 64;
  std::uint32_t at = 0;
  for (; at + at_once <= size; at += at_once) _mm512_storeu_si512(out + at, in_lower_case(_mm512_loadu_si512(in + at)));
  auto const rest = (__mmask64{1} << (size - at)) - 1;
  _mm512_mask_storeu_epi8(out + at, rest, in_lower_case(_mm512_maskz_loadu_epi8(rest, in + at)));
}

constexpr std::uint32_t positions = 16;  // a word each

// For each word, the four bytes from its own number on, plus `from`.
PACKETWARP_FIRST_PASS __m512i overlapping_words(int from) {
  auto const numbers = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  auto const repeated = _mm512_mullo_epi32(numbers, _mm512_set1_epi32(0x01'01'01'01));
  return _mm512_add_epi8(repeated,
                         _mm512_add_epi8(_mm512_set1_epi32(0x03'02'01'00), _mm512_set1_epi8(static_cast<char>(from))));
}

// The words that pass.
PACKETWARP_FIRST_PASS __mmask16 passing(std::uint64_t const* filter, __m512i words) {
  auto const hashed = _mm512_mullo_epi32(words, _mm512_set1_epi32(static_cast<int>(first_bit_factor)));
  auto const bit = _mm512_srli_epi32(hashed, 32 - first_filter_bits);
  auto const word = _mm512_i32gather_epi32(_mm512_srli_epi32(bit, 5), filter, 4);
  return _mm512_test_epi32_mask(_mm512_rorv_epi32(word, bit), _mm512_set1_epi32(1));
}

// Writes 16 words, of which those of the mask count.
PACKETWARP_FIRST_PASS std::uint32_t keep(__mmask16 mask, __m512i numbers, std::uint32_t* to) {
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(mask, numbers));
  return static_cast<std::uint32_t>(std::popcount(static_cast<unsigned>(mask)));
}

// Whether a window of some set may begin at one of 64 positions.
PACKETWARP_FIRST_PASS bool may_begin_some(first_bytes_sets const& sets, unsigned char const* at) {
  auto left = _mm512_set1_epi8(-1);
  for (std::uint32_t n = 0; n < first_bytes_sets::bytes; ++n) {
    auto const bytes = _mm512_loadu_si512(at + n);
    auto const upper = _mm512_srli_epi16(bytes, 2);  // instructions look at six bits of each byte
    left = _mm512_ternarylogic_epi32(left, _mm512_permutexvar_epi8(bytes, _mm512_load_si512(sets.lower[n])),
                                     _mm512_permutexvar_epi8(upper, _mm512_load_si512(sets.upper[n])), 0x80);
  }
  return _mm512_test_epi8_mask(left, left) != 0;
}

PACKETWARP_FIRST_PASS std::uint32_t find(std::uint64_t const* filter, first_bytes_sets const& sets,
                                         unsigned char const* folded, std::uint32_t begin, std::uint32_t end,
                                         std::uint32_t* passed) {
  auto const low = overlapping_words(0);
  auto const high = overlapping_words(positions);
  auto numbers = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(begin)),
                                  _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
  auto const step = _mm512_set1_epi32(positions);
  std::uint32_t count = 0;
  auto at = begin;
  // Two registers at a time wait for memory together. A full one is written where 16 positions or more are left.
  for (; at + 2 * positions <= end; at += 2 * positions) {
    if ((at - begin) % 64 == 0 && at + 64 <= end && !may_begin_some(sets, folded + at)) {
      at += 2 * positions;
      numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(64));
      continue;
    }
    auto const bytes = _mm512_loadu_si512(folded + at);
    auto const first = passing(filter, _mm512_permutexvar_epi8(low, bytes));
    auto const second = passing(filter, _mm512_permutexvar_epi8(high, bytes));
    count += keep(first, numbers, passed + count);
    numbers = _mm512_add_epi32(numbers, step);
    count += keep(second, numbers, passed + count);
    numbers = _mm512_add_epi32(numbers, step);
  }
  auto const left = (1U << (end - at)) - 1;
  auto const bytes = _mm512_loadu_si512(folded + at);
  auto const first = static_cast<__mmask16>(passing(filter, _mm512_permutexvar_epi8(low, bytes)) & left);
  auto const second = static_cast<__mmask16>(passing(filter, _mm512_permutexvar_epi8(high, bytes)) & left >> positions);
  _mm512_mask_compressstoreu_epi32(passed + count, first, numbers);
  count += static_cast<std::uint32_t>(std::popcount(static_cast<unsigned>(first)));
  _mm512_mask_compressstoreu_epi32(passed + count, second, _mm512_add_epi32(numbers, step));
  return count + static_cast<std::uint32_t>(std::popcount(static_cast<unsigned>(second)));
}

}  // namespace
}  // namespace avx512

bool has_first_pass_avx512() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512vbmi") != 0;
}

first_pass first_pass_avx512() { return {.fold = avx512::fold, .find = avx512::find}; }

}  // namespace packetwarp::inspect

#else

namespace packetwarp::inspect {

bool has_first_pass_avx512() { return false; }
first_pass first_pass_avx512() { return plain_first_pass(); }

}  // namespace packetwarp::inspect

#endif
