// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace packetwarp::rdma {

// The bytes that a test of writes sends: each place has its own, and another one for each seed.
[[nodiscard]] std::vector<std::byte> make_pattern(std::size_t bytes, std::uint64_t seed);
// The bytes of the pattern from `begin` on, a multiple of 8.
void fill_pattern(std::span<std::byte> into, std::uint64_t seed, std::size_t begin);

// The first place at which memory differs; expected.size() without one. Both have one size.
[[nodiscard]] std::size_t first_difference(std::span<std::byte const> found, std::span<std::byte const> expected);

}  // namespace packetwarp::rdma
