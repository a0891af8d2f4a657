// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>

#include "feature/row_flags.h"
#include "feature/write_row.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define PACKETWARP_AVX2 __attribute__((target("avx2")))

// All counts of a row become levels by a few instructions, eight at a time, and then each of their bytes is moved to
// the feature's place. Counts are loaded as they lie in the records.
namespace packetwarp::feature {
namespace {

using enum place;

// The bytes in the order in which the instructions leave them, 16 in each half of two registers. `none`: of a word that
// is no feature of the packet.
constexpr auto none = place{model::row_bytes};
constexpr std::size_t quarters = 4;
constexpr std::size_t quarter_bytes = 16;
// clang-format off
constexpr std::array<place, quarters * quarter_bytes> places{
    // The flow and the packet, and the sets of both hosts.
    flow_packets, flow_packets_back, flow_bytes, flow_bytes_back,
    flow_max, flow_min, flow_syn, flow_fin,
    source_ports, source_slow_ports, source_peers, source_slow_peers,
    none, destination_sent_slow_ports, none, destination_sent_slow_peers,
    length, payload, window, flow_mean,
    flow_rst, flow_rate, flow_age, flow_idle,
    source_got_ports, none, source_got_peers, none,
    destination_ports, destination_slow_ports, destination_peers, none,
    // The counts of both hosts.
    source_packets, source_bytes, source_syn, source_rst,
    source_got_syn, source_got_rst, source_got_flows, source_got_icmp,
    destination_sent_packets, none, none, destination_sent_rst,
    destination_syn, none, destination_flows, none,
    source_flows, none, source_got_packets, source_got_bytes,
    none, none, none, source_slow_refused,
    destination_sent_flows, destination_sent_icmp, destination_packets, destination_bytes,
    none, none, none, destination_slow_refused};
// clang-format on

// Moves bytes of one quarter to their places in 32 bytes of a row, and zeroes to all others.
struct alignas(32) byte_moves {
  std::array<std::uint8_t, 2 * quarter_bytes> from;
};
[[nodiscard]] constexpr byte_moves moves_of(std::size_t row_half, std::size_t quarter) {
  constexpr std::uint8_t zero = 0x80;
  byte_moves made{};
  for (std::size_t to = 0; to < made.from.size(); ++to) {
    made.from[to] = zero;
    for (std::size_t i = 0; i < quarter_bytes; ++i) {
      auto const at = static_cast<std::size_t>(places[quarter * quarter_bytes + i]);
      if (at == row_half * made.from.size() + to) made.from[to] = static_cast<std::uint8_t>(i);
    }
  }
  return made;
}
constexpr std::array<byte_moves, 2> moves_in_front{moves_of(0, 0), moves_of(0, 1)};
constexpr std::array<byte_moves, quarters> moves_at_end{moves_of(1, 0), moves_of(1, 1), moves_of(1, 2), moves_of(1, 3)};
static_assert(static_cast<std::size_t>(source_packets) == sizeof(byte_moves), "of hosts no feature lies in front");

[[nodiscard]] PACKETWARP_AVX2 inline __m128i load(void const* from) {
  return _mm_lddqu_si128(static_cast<__m128i const*>(from));
}
[[nodiscard]] PACKETWARP_AVX2 inline __m256i load_eight(void const* from) {
  return _mm256_lddqu_si256(static_cast<__m256i const*>(from));
}
[[nodiscard]] PACKETWARP_AVX2 inline __m256i joined(__m128i low, __m128i high) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

// level() of counts of 32 bits; the highest levels come out of it above highest_level, and the conversions to fewer
// bits bound them. The exponent of a float and the two bits after it are the number of the step. A count with the
// highest bit is halved for the conversion to a float, and the bits that could round it up are cleared.
[[nodiscard]] PACKETWARP_AVX2 inline __m256i levels(__m256i counts) {
  constexpr int bits_below = 23 - 2;  // of a float's fraction
  auto const is_long = _mm256_srli_epi32(counts, 31);
  auto const kept = _mm256_srlv_epi32(counts, is_long);
  auto const number = _mm256_cvtepi32_ps(_mm256_andnot_si256(_mm256_srli_epi32(kept, 8), kept));
  auto const upper = _mm256_srli_epi32(_mm256_castps_si256(number), bits_below);
  auto const steps =
      _mm256_sub_epi32(_mm256_add_epi32(upper, _mm256_slli_epi32(is_long, 2)), _mm256_set1_epi32((127 << 2) - 1));
  return _mm256_max_epi32(steps, _mm256_setzero_si256());
}

// Twice the number of bits that are set in each word of 64 bits.
[[nodiscard]] PACKETWARP_AVX2 inline __m256i set_sizes(__m256i sets) {
  auto const twice = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 2, 2, 4, 2, 4, 4, 6, 2, 4, 4, 6, 4, 6, 6, 8));
  auto const low_bits = _mm256_set1_epi8(0xf);
  auto const of_low = _mm256_shuffle_epi8(twice, _mm256_and_si256(sets, low_bits));
  auto const of_high = _mm256_shuffle_epi8(twice, _mm256_and_si256(_mm256_srli_epi32(sets, 4), low_bits));
  return _mm256_sad_epu8(_mm256_add_epi8(of_low, of_high), _mm256_setzero_si256());
}

// The offsets that the loads rely on.
static_assert(offsetof(flow_state, bytes) == offsetof(flow_state, packets) + 8);
static_assert(offsetof(flow_state, shortest) == offsetof(flow_state, longest) + 2 &&
              offsetof(flow_state, syn) == offsetof(flow_state, longest) + 4 &&
              offsetof(flow_state, fin) == offsetof(flow_state, longest) + 6 &&
              offsetof(flow_state, rst) == offsetof(flow_state, longest) + 8);
static_assert(offsetof(host_side_state, peers) == 8 && offsetof(host_side_state, packets) == 16 &&
              offsetof(host_side_state, bytes) == 20 && offsetof(host_side_state, syn) == 24 &&
              offsetof(host_side_state, rst) == 28 && offsetof(host_side_state, flows) == 32 &&
              offsetof(host_side_state, icmp_errors) == 36 && sizeof(host_side_state) == 40);
static_assert(offsetof(host_state, got) == 40 && offsetof(host_state, slow) == 80 && sizeof(host_slow_state) == 16 &&
              offsetof(host_slow_state, sent_peers) == 4 && offsetof(host_slow_state, got_ports) == 8 &&
              offsetof(host_slow_state, got_refusals) == 12);

// 16 levels, and the sizes of 8 sets.
struct host_values {
  __m256i levels;
  __m256i sets;
};
[[nodiscard]] PACKETWARP_AVX2 inline host_values values_of(host_state const& host) {
  constexpr int upper_two = 0xc0;
  // Counts of packets sent, then packets and bytes got; the other counts of packets got, and the slow ones.
  auto const* const before_got = reinterpret_cast<std::byte const*>(&host.got.packets) - 6 * sizeof(std::uint32_t);
  auto const first = _mm256_blend_epi32(load_eight(&host.sent.packets), load_eight(before_got), upper_two);
  auto const second = load_eight(&host.got.syn);
  auto const sizes = set_sizes(joined(load(&host.sent), load(&host.got)));
  auto const slow_sizes = set_sizes(_mm256_cvtepu32_epi64(load(&host.slow)));
  return {_mm256_packs_epi32(levels(first), levels(second)), _mm256_or_si256(sizes, _mm256_slli_epi64(slow_sizes, 32))};
}

// 16 levels of the flow and the packet.
[[nodiscard]] PACKETWARP_AVX2 inline __m256i levels_of_packet(packet_facts const& facts) {
  auto const lengths = _mm_setr_epi32(static_cast<int>(facts.length), facts.payload, facts.window, 0);
  auto const zero = _mm256_setzero_si256();
  return _mm256_packs_epi32(levels(joined(_mm_setzero_si128(), lengths)), zero);
}
[[nodiscard]] PACKETWARP_AVX2 inline __m256i levels_of_flow(row_sources const& sources) {
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
  auto const others = _mm256_blend_epi32(extremes, joined(times, times), last_three);
  return _mm256_packs_epi32(levels(joined(by_direction, lengths)), levels(others));
}

[[nodiscard]] PACKETWARP_AVX2 inline __m256i flags_of(packet_facts const& facts) {
  auto const flags = detail::row_flags_of(facts);
  return _mm256_setr_epi64x(static_cast<std::int64_t>(flags[0]), static_cast<std::int64_t>(flags[1]),
                            static_cast<std::int64_t>(flags[2]), 0);
}

[[nodiscard]] PACKETWARP_AVX2 inline __m256i moved(__m256i quarter_twice, byte_moves const& moves) {
  return _mm256_shuffle_epi8(quarter_twice, _mm256_load_si256(reinterpret_cast<__m256i const*>(moves.from.data())));
}

constexpr host_state no_host{};

}  // namespace

PACKETWARP_AVX2 void write_row_avx2(row_sources const& sources, std::int8_t* row) {
  bool const has_flow = sources.flow != nullptr && !is_new(*sources.flow);
  auto const of_flow = has_flow ? levels_of_flow(sources) : levels_of_packet(sources.facts);
  auto const source = values_of(sources.source != nullptr ? *sources.source : no_host);
  auto const destination = values_of(sources.destination != nullptr ? *sources.destination : no_host);
  auto const first = _mm256_packs_epi16(of_flow, _mm256_packs_epi32(source.sets, destination.sets));
  auto const second = _mm256_packs_epi16(source.levels, destination.levels);
  __m256i const quarter[] = {
      _mm256_permute2x128_si256(first, first, 0x00), _mm256_permute2x128_si256(first, first, 0x11),
      _mm256_permute2x128_si256(second, second, 0x00), _mm256_permute2x128_si256(second, second, 0x11)};
  auto front = flags_of(sources.facts);
  for (std::size_t i = 0; i < moves_in_front.size(); ++i) {
    front = _mm256_or_si256(front, moved(quarter[i], moves_in_front[i]));
  }
  auto end = _mm256_setzero_si256();
  for (std::size_t i = 0; i < moves_at_end.size(); ++i) {
    end = _mm256_or_si256(end, moved(quarter[i], moves_at_end[i]));
  }
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(row), front);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(row + sizeof(byte_moves)), end);
}

}  // namespace packetwarp::feature
#else
namespace packetwarp::feature {
void write_row_avx2(row_sources const& sources, std::int8_t* row) { write_row_plainly(sources, row); }
}  // namespace packetwarp::feature
#endif
