// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "base/host_device.h"
#include "wire/big_endian.h"

namespace packetwarp::traffic {

// The identity of a generated packet, in the last 16 bytes of its frame: small enough for UDP and ICMP over IPv4 in
// 64-byte frames (18 bytes of payload). The flow, its sequence and all other content follow from the index, because
// pattern and sizes are functions of it.
//   4 bytes tag: a hash of the other fields and the run's key, so that foreign packets and flipped bits are noticed
//   1 byte  stream
//   5 bytes time of sending in the sender's ticks, modulo 2^40: 18 minutes of nanoseconds, 6 of a 3 GHz counter
//   6 bytes index of the packet in its stream, modulo 2^48: a month at 100 Mpps
struct signature {
  std::uint8_t stream{};
  std::uint64_t ticks{};
  std::uint64_t index{};
  friend constexpr bool operator==(signature const&, signature const&) = default;
};
static_assert(std::is_trivially_copyable_v<signature>);

inline constexpr std::size_t signature_length = 16;
inline constexpr std::uint64_t ticks_mask = (std::uint64_t{1} << 40) - 1;
inline constexpr std::uint64_t index_mask = (std::uint64_t{1} << 48) - 1;

// The key of a run: packets that another run left in a network do not have it.
struct signature_key {
  std::uint64_t value{};
};

// A bijection that spreads every input bit over all output bits (the finalizer of SplitMix64).
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t mix_bits(std::uint64_t x) noexcept {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

namespace detail {

[[nodiscard]] HOST_DEVICE constexpr std::uint32_t signature_tag(std::uint32_t first, std::uint64_t second,
                                                                signature_key key) noexcept {
  return static_cast<std::uint32_t>(mix_bits(mix_bits(second ^ key.value) + first) >> 32);
}

}  // namespace detail

HOST_DEVICE constexpr void write_signature(std::byte* at, signature const& s, signature_key key) noexcept {
  auto const first = static_cast<std::uint32_t>(std::uint64_t{s.stream} << 24 | (s.ticks & ticks_mask) >> 16);
  std::uint64_t const second = s.ticks << 48 | (s.index & index_mask);
  wire::store_be<std::uint32_t>(at, detail::signature_tag(first, second, key));
  wire::store_be<std::uint32_t>(at + 4, first);
  wire::store_be<std::uint64_t>(at + 8, second);
}

// The signature; nothing if the 16 bytes are no signature of this run.
[[nodiscard]] HOST_DEVICE constexpr std::optional<signature> read_signature(std::byte const* at,
                                                                            signature_key key) noexcept {
  auto const first = wire::load_be<std::uint32_t>(at + 4);
  auto const second = wire::load_be<std::uint64_t>(at + 8);
  if (wire::load_be<std::uint32_t>(at) != detail::signature_tag(first, second, key)) return std::nullopt;
  return signature{static_cast<std::uint8_t>(first >> 24), std::uint64_t{first & 0xff'ffffU} << 16 | second >> 48,
                   second & index_mask};
}

// The time from sending to receiving, in the sender's ticks. Right for up to ticks_mask ticks.
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t ticks_between(std::uint64_t sent, std::uint64_t received) noexcept {
  return (received - sent) & ticks_mask;
}

}  // namespace packetwarp::traffic
