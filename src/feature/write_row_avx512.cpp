// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "feature/write_row_avx512.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "feature/row_flags.h"
#include "feature/write_row.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define PACKETWARP_AVX512_ROWS __attribute__((target("avx2,avx512f,avx512bw,avx512vl,avx512vbmi,avx512vpopcntdq")))

// All counts of a row become levels by a few instructions, 16 at a time, and then all bytes are moved to the features'
// places at once. Counts are loaded as they lie in the records.
namespace packetwarp::feature {
namespace rows_avx512 {
namespace {

using enum place;

constexpr auto none = place{model::row_bytes};  // of a word that is no feature of the packet
constexpr std::size_t words = 16;               // of a register, each of which becomes a byte
constexpr std::size_t registers = 4;
// clang-format off
constexpr std::array<std::array<place, words>, registers> places{{
    {flow_packets, flow_packets_back, flow_bytes, flow_bytes_back, length, payload, window, flow_mean,
     flow_max, flow_min, flow_syn, flow_fin, flow_rst, flow_rate, flow_age, flow_idle},
    // Sets, and the slow ones in the odd words.
    {source_ports, source_slow_ports, source_peers, source_slow_peers, source_got_ports, none, source_got_peers, none,
     none, destination_sent_slow_ports, none, destination_sent_slow_peers,
     destination_ports, destination_slow_ports, destination_peers, none},
    // Counts of the source and of the destination: packets sent, then packets got.
    {source_packets, source_bytes, source_syn, source_rst, source_flows, none, source_slow_refused, none,
     none, none, source_got_packets, source_got_bytes, source_got_syn, source_got_rst, source_got_flows, source_got_icmp},
    {destination_sent_packets, none, none, destination_sent_rst, destination_sent_flows, destination_sent_icmp,
     destination_slow_refused, none, none, none, destination_packets, destination_bytes, destination_syn, none,
     destination_flows, none}}};
// clang-format on
constexpr __mmask16 slow_word = 1 << 6;  // of a host's counts: it takes the place of a part of a set

// For each byte of a row, the byte that is moved there. Packing leaves four words of each register, in turn.
struct alignas(64) byte_moves {
  std::array<std::uint8_t, model::row_bytes> from{};
  std::uint64_t is_moved{};
};
[[nodiscard]] constexpr byte_moves moves_of_all() {
  constexpr std::size_t four = 4;
  byte_moves made;
  for (std::size_t r = 0; r < registers; ++r) {
    for (std::size_t i = 0; i < words; ++i) {
      auto const to = static_cast<std::size_t>(places[r][i]);
      if (places[r][i] == none) continue;
      made.from[to] = static_cast<std::uint8_t>((i / four * registers + r) * four + i % four);
      made.is_moved |= std::uint64_t{1} << to;
    }
  }
  return made;
}
constexpr auto moves = moves_of_all();

// The offsets that the loads rely on; those of flow_state are checked in write_row_avx2.cpp, too.
static_assert(offsetof(host_state, got) == 40 && offsetof(host_side_state, packets) == 16 &&
              offsetof(host_side_state, icmp_errors) == 36 && sizeof(host_side_state) == 40 &&
              offsetof(host_side_state, peers) == 8 && offsetof(host_slow_state, got_refusals) == 12);

[[nodiscard]] PACKETWARP_AVX512_ROWS inline __m128i load(void const* from) {
  return _mm_lddqu_si128(static_cast<__m128i const*>(from));
}

// level() of counts of 32 bits; levels beyond highest_level come out of it, and the conversions to fewer bits bound
// them. The exponent of a float, which is not rounded up, and the two bits after it are the number of the step.
[[nodiscard]] PACKETWARP_AVX512_ROWS inline __m512i levels(__m512i counts) {
  constexpr int bits_below = 23 - 2;  // of a float's fraction
  auto const number = _mm512_cvt_roundepu32_ps(counts, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  auto const upper = _mm512_srli_epi32(_mm512_castps_si512(number), bits_below);
  return _mm512_max_epi32(_mm512_sub_epi32(upper, _mm512_set1_epi32((127 << 2) - 1)), _mm512_setzero_si512());
}

// Counts that are no features are words of sets.
[[nodiscard]] PACKETWARP_AVX512_ROWS inline __m512i levels_of(host_state const& host) {
  auto const counts = _mm512_loadu_si512(&host.sent.packets);
  return levels(_mm512_mask_set1_epi32(counts, slow_word, static_cast<std::int32_t>(host.slow.got_refusals)));
}

// Twice the number of members of each set.
[[nodiscard]] PACKETWARP_AVX512_ROWS inline __m512i set_sizes(host_state const& source, host_state const& destination) {
  auto sets = _mm512_castsi128_si512(load(&source.sent));
  sets = _mm512_mask_broadcast_i32x4(sets, 0x00f0, load(&source.got));
  sets = _mm512_mask_broadcast_i32x4(sets, 0x0f00, load(&destination.sent));
  sets = _mm512_mask_broadcast_i32x4(sets, 0xf000, load(&destination.got));
  auto const slow = _mm256_inserti128_si256(_mm256_castsi128_si256(load(&source.slow)), load(&destination.slow), 1);
  auto const slow_sizes = _mm512_popcnt_epi64(_mm512_cvtepu32_epi64(slow));
  auto const sizes = _mm512_or_si512(_mm512_popcnt_epi64(sets), _mm512_slli_epi64(slow_sizes, 32));
  return _mm512_slli_epi64(sizes, 1);
}

[[nodiscard]] PACKETWARP_AVX512_ROWS inline __m512i levels_of_packet(packet_facts const& facts) {
  auto const lengths = _mm_setr_epi32(static_cast<int>(facts.length), facts.payload, facts.window, 0);
  return levels(_mm512_maskz_broadcast_i32x4(0x00f0, lengths));
}
[[nodiscard]] PACKETWARP_AVX512_ROWS inline __m512i levels_of_flow(row_sources const& sources) {
  auto const& facts = sources.facts;
  auto const& flow = *sources.flow;
  constexpr int last_three = 0xe0;
  auto const traffic = load(flow.packets);
  auto const by_direction = sources.direction == 0 ? traffic : _mm_shuffle_epi32(traffic, 0xb1);
  auto const lengths = _mm_setr_epi32(static_cast<int>(facts.length), facts.payload, facts.window,
                                      static_cast<int>(detail::bounded(detail::mean_length(flow))));
  auto const extremes = _mm256_xor_si256(_mm256_cvtepu16_epi32(load(&flow.longest)),
                                         _mm256_setr_epi32(0, static_cast<int>(most_length), 0, 0, 0, 0, 0, 0));
  auto const times =
      _mm_setr_epi32(0, static_cast<int>(flow.rate),
                     static_cast<int>(detail::bounded(detail::epochs_between(flow.first, sources.epoch))),
                     static_cast<int>(detail::bounded(detail::epochs_between(flow.last, sources.epoch))));
  auto const others = _mm256_blend_epi32(extremes, _mm256_broadcastsi128_si256(times), last_three);
  auto const counts = _mm512_mask_broadcast_i32x4(_mm512_castsi128_si512(by_direction), 0x00f0, lengths);
  return levels(_mm512_inserti64x4(counts, others, 1));
}

constexpr host_state no_host{};

PACKETWARP_AVX512_ROWS inline void write(row_sources const& sources, std::int8_t* row) {
  bool const has_flow = sources.flow != nullptr && !is_new(*sources.flow);
  auto const& source = sources.source != nullptr ? *sources.source : no_host;
  auto const& destination = sources.destination != nullptr ? *sources.destination : no_host;
  auto const of_packet = has_flow ? levels_of_flow(sources) : levels_of_packet(sources.facts);
  auto const packet_and_sets = _mm512_packs_epi32(of_packet, set_sizes(source, destination));
  auto const hosts = _mm512_packs_epi32(levels_of(source), levels_of(destination));
  auto const bytes = _mm512_maskz_permutexvar_epi8(moves.is_moved, _mm512_load_si512(moves.from.data()),
                                                   _mm512_packs_epi16(packet_and_sets, hosts));
  auto const flags = detail::row_flags_of(sources.facts);
  auto const front = _mm256_setr_epi64x(static_cast<std::int64_t>(flags[0]), static_cast<std::int64_t>(flags[1]),
                                        static_cast<std::int64_t>(flags[2]), 0);
  _mm512_storeu_si512(row, _mm512_or_si512(bytes, _mm512_zextsi256_si512(front)));
}

}  // namespace
}  // namespace rows_avx512

bool has_avx512_rows() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512vbmi") != 0 &&
         __builtin_cpu_supports("avx512vpopcntdq") != 0;
}

PACKETWARP_AVX512_ROWS void write_row_avx512(row_sources const& sources, std::int8_t* row) {
  rows_avx512::write(sources, row);
}

}  // namespace packetwarp::feature
#else
namespace packetwarp::feature {
bool has_avx512_rows() { return false; }
void write_row_avx512(row_sources const& sources, std::int8_t* row) { write_row_plainly(sources, row); }
}  // namespace packetwarp::feature
#endif
