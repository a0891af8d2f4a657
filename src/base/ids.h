// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace packetwarp {

// A number that names one kind of thing. Different tags do not convert into each other, so a queue cannot be passed
// where a port is meant.
template <class Tag, class Rep>
class id {
 public:
  using rep = Rep;
  constexpr id() = default;
  constexpr explicit id(Rep value) : value_{value} {}
  [[nodiscard]] constexpr Rep value() const { return value_; }
  constexpr auto operator<=>(id const&) const = default;

 private:
  Rep value_{};
};

using port_id = id<struct port_tag, std::uint16_t>;          // DPDK ethdev port number
using queue_id = id<struct queue_tag, std::uint16_t>;        // RX or TX queue of one port
using lcore_id = id<struct lcore_tag, unsigned>;             // EAL lcore number, not a CPU number
using gpu_id = id<struct gpu_tag, int>;                      // CUDA device ordinal
using pipeline_id = id<struct pipeline_tag, std::uint16_t>;  // 0-based, in the order of creation

}  // namespace packetwarp

template <class Tag, class Rep>
struct std::hash<packetwarp::id<Tag, Rep>> {
  std::size_t operator()(packetwarp::id<Tag, Rep> v) const noexcept { return std::hash<Rep>{}(v.value()); }
};
