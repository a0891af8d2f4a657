// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/host_device.h"

namespace packetwarp::wire {

// Network order, read and written byte by byte: any address is allowed, also on the GPU, whose wide loads fault on
// unaligned addresses. A CPU swaps the whole word: compilers recognize a swap in the bytes of one load, but they merge
// the bytes of consecutive stores, which takes many shifts.

namespace detail {
template <std::unsigned_integral Rep>
[[nodiscard]] constexpr Rep swapped(Rep value) noexcept {
  if constexpr (sizeof(Rep) == 1) return value;
  if constexpr (sizeof(Rep) == 2) return __builtin_bswap16(value);
  if constexpr (sizeof(Rep) == 4) return __builtin_bswap32(value);
  if constexpr (sizeof(Rep) == 8) return __builtin_bswap64(value);
}
}  // namespace detail

template <std::unsigned_integral Rep>
[[nodiscard]] HOST_DEVICE constexpr Rep load_be(std::byte const* at) noexcept {
  if constexpr (sizeof(Rep) == 1) {
    return static_cast<Rep>(at[0]);
  } else if constexpr (sizeof(Rep) == 2) {
    return static_cast<Rep>(static_cast<unsigned>(at[0]) << 8 | static_cast<unsigned>(at[1]));
  } else if constexpr (sizeof(Rep) == 4) {
    return static_cast<std::uint32_t>(at[0]) << 24 | static_cast<std::uint32_t>(at[1]) << 16 |
           static_cast<std::uint32_t>(at[2]) << 8 | static_cast<std::uint32_t>(at[3]);
  } else {
    return static_cast<std::uint64_t>(load_be<std::uint32_t>(at)) << 32 | load_be<std::uint32_t>(at + 4);
  }
}

template <std::unsigned_integral Rep>
HOST_DEVICE constexpr void store_be(std::byte* at, std::type_identity_t<Rep> value) noexcept {
#if !defined(__CUDA_ARCH__)
  static_assert(std::endian::native == std::endian::little);
  if (!std::is_constant_evaluated()) {
    auto const swapped = detail::swapped<Rep>(value);
    std::memcpy(at, &swapped, sizeof swapped);
    return;
  }
#endif
  if constexpr (sizeof(Rep) <= 4) {
    for (std::size_t i = 0; i < sizeof(Rep); ++i) {
      at[i] = static_cast<std::byte>(value >> (8 * (sizeof(Rep) - 1 - i)) & 0xff);
    }
  } else {
    store_be<std::uint32_t>(at, static_cast<std::uint32_t>(value >> 32));
    store_be<std::uint32_t>(at + 4, static_cast<std::uint32_t>(value));
  }
}

// A number kept in network order, for structures that go on the wire or to the GPU as they are. Alignment is 1.
template <std::unsigned_integral Rep>
class big_endian {
 public:
  constexpr big_endian() = default;
  HOST_DEVICE constexpr explicit big_endian(Rep value) noexcept { store_be<Rep>(bytes_, value); }

  // In the machine's own order.
  [[nodiscard]] HOST_DEVICE constexpr Rep value() const noexcept { return load_be<Rep>(bytes_); }

  [[nodiscard]] HOST_DEVICE friend constexpr bool operator==(big_endian a, big_endian b) noexcept {
    return a.value() == b.value();
  }

 private:
  std::byte bytes_[sizeof(Rep)]{};
};

using be16 = big_endian<std::uint16_t>;
using be32 = big_endian<std::uint32_t>;
using be64 = big_endian<std::uint64_t>;

static_assert(sizeof(be16) == 2 && alignof(be16) == 1 && std::is_trivially_copyable_v<be16>);
static_assert(sizeof(be32) == 4 && alignof(be32) == 1 && std::is_trivially_copyable_v<be32>);
static_assert(sizeof(be64) == 8 && alignof(be64) == 1 && std::is_trivially_copyable_v<be64>);

// The byte type of a view through which the packet may be changed.
template <class Byte>
concept writable = !std::is_const_v<Byte>;

}  // namespace packetwarp::wire
