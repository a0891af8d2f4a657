// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/roce/folded_icrc.h"

#include "base/untraced.h"
#include "rdma/roce/icrc.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "rdma/roce/lane_icrc.h"

namespace packetwarp::rdma::roce {
namespace {

// Only these functions may use the instructions; the others run on any CPU that DPDK runs on.
#define FOLDS [[gnu::target("pclmul,sse4.1")]] UNTRACED

// The multiplier that moves 64 bits of a polynomial by `bits`. The instruction leaves a product of least significant
// bits first one bit too low: hence the shift.
[[nodiscard]] constexpr long long mover(std::uint32_t bits) {
  auto const shifted = std::uint64_t{power_of_x(bits)} << 1;
  return static_cast<long long>(shifted);
}
// Not every compiler computes them ahead by itself.
constexpr long long by_8 = mover(64), by_16_low = mover(128 + 32), by_16_high = mover(128 - 32),
                    by_64_low = mover(512 + 32), by_64_high = mover(512 - 32);
// The CRC's polynomial with its 33rd bit, and the quotient of x^64 by it, least significant bits first.
constexpr long long polynomial = 0x1'db71'0641, quotient = 0x1'f701'1641;

[[nodiscard]] FOLDS inline __m128i load(std::byte const* at) {
  return _mm_loadu_si128(reinterpret_cast<__m128i const*>(at));
}

// `state`, moved by the bits of `movers`, plus `next`.
[[nodiscard]] FOLDS inline __m128i fold(__m128i state, __m128i movers, __m128i next) {
  return _mm_xor_si128(
      _mm_xor_si128(_mm_clmulepi64_si128(state, movers, 0x00), _mm_clmulepi64_si128(state, movers, 0x11)), next);
}

// The CRC of 128 bits: to 96, to 64, and to 32 by Barrett's reduction.
[[nodiscard]] FOLDS inline std::uint32_t reduce(__m128i state, __m128i movers_16) {
  auto const words_0_and_2 = _mm_setr_epi32(~0, 0, ~0, 0);
  state = _mm_xor_si128(_mm_srli_si128(state, 8), _mm_clmulepi64_si128(state, movers_16, 0x10));
  auto const movers_8 = _mm_set_epi64x(0, by_8);
  state = _mm_xor_si128(_mm_srli_si128(state, 4),
                        _mm_clmulepi64_si128(_mm_and_si128(state, words_0_and_2), movers_8, 0x00));
  auto const barrett = _mm_set_epi64x(quotient, polynomial);
  auto by = _mm_clmulepi64_si128(_mm_and_si128(state, words_0_and_2), barrett, 0x10);
  by = _mm_clmulepi64_si128(_mm_and_si128(by, words_0_and_2), barrett, 0x00);
  return static_cast<std::uint32_t>(_mm_extract_epi32(_mm_xor_si128(state, by), 1));
}

// Bytes that count as ones are ones here.
alignas(16) constexpr std::uint8_t ones_of_8_to_23[16] = {0xff, 0, 0xff, 0xff};     // TTL, IP checksum
alignas(16) constexpr std::uint8_t ones_of_24_to_39[16] = {0, 0, 0xff, 0xff, 0, 0,  // UDP checksum
                                                           0, 0, 0xff};             // FECN, BECN, reserved
[[nodiscard]] FOLDS inline __m128i load_with_ones(std::byte const* at, std::uint8_t const* ones) {
  return _mm_or_si128(load(at), _mm_load_si128(reinterpret_cast<__m128i const*>(ones)));
}

[[nodiscard]] FOLDS std::uint32_t fold_all(std::byte const* ip, std::size_t bytes) {
  // Eight bytes of ones and IP's first eight, of which the type of service counts as ones. The CRC begins with ones in
  // its register, which the first four bytes cancel.
  auto const begin = _mm_or_si128(_mm_slli_si128(_mm_loadl_epi64(reinterpret_cast<__m128i const*>(ip)), 8),
                                  _mm_setr_epi32(0, ~0, 0xff00, 0));
  auto const second = load_with_ones(ip + 8, ones_of_8_to_23), third = load_with_ones(ip + 24, ones_of_24_to_39);
  auto const movers_16 = _mm_set_epi64x(by_16_high, by_16_low);
  auto const* at = ip + ip_and_bth;
  auto left = bytes - ip_and_bth;
  __m128i state;
  if (left < 16) {
    state = fold(fold(begin, movers_16, second), movers_16, third);
  } else {
    auto const movers_64 = _mm_set_epi64x(by_64_high, by_64_low);
    auto a = begin, b = second, c = third, d = load(at);
    for (at += 16, left -= 16; left >= 64; at += 64, left -= 64) {
      a = fold(a, movers_64, load(at));
      b = fold(b, movers_64, load(at + 16));
      c = fold(c, movers_64, load(at + 32));
      d = fold(d, movers_64, load(at + 48));
    }
    state = fold(fold(fold(a, movers_16, b), movers_16, c), movers_16, d);
    for (; left >= 16; at += 16, left -= 16) state = fold(state, movers_16, load(at));
  }
  return ~crc_of_bytes(reduce(state, movers_16), at, left);
}

}  // namespace

UNTRACED std::uint32_t folded_icrc_of_ipv4(std::byte const* ip, std::size_t bytes) {
  return __builtin_cpu_supports("pclmul") != 0 ? fold_all(ip, bytes) : sliced_icrc_of_ipv4(ip, bytes);
}

}  // namespace packetwarp::rdma::roce

#else

namespace packetwarp::rdma::roce {

std::uint32_t folded_icrc_of_ipv4(std::byte const* ip, std::size_t bytes) { return sliced_icrc_of_ipv4(ip, bytes); }

}  // namespace packetwarp::rdma::roce

#endif
