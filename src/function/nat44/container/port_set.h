// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "function/nat44/container/free_set.h"

namespace packetwarp::nat {

inline constexpr std::uint32_t port_count = 65536;

// The free ports of an outside address, of one transport. The ports below 1024 are a set of their own, so a search
// among one kind leads to no port of the other kind (RFC 4787, REQ-3 a: ports 0 to 1023 stay in that range, and other
// ports stay out of it).
class port_set {
 public:
  static constexpr std::uint32_t well_known = 1024;

  HOST_DEVICE constexpr explicit port_set(std::uint64_t* words)
      : high_{words, port_count}, low_{words + free_set::words_for(port_count), well_known} {}

  [[nodiscard]] HOST_DEVICE static constexpr std::size_t words() {
    return free_set::words_for(port_count) + free_set::words_for(well_known);
  }
  // The set that contains a port.
  [[nodiscard]] HOST_DEVICE free_set const& around(std::uint32_t port) const {
    return port < well_known ? low_ : high_;
  }
  [[nodiscard]] HOST_DEVICE bool take_exactly(std::uint32_t port) const { return around(port).take_exactly(port); }
  HOST_DEVICE void give_back(std::uint32_t port) const { around(port).give_back(port); }
  [[nodiscard]] HOST_DEVICE bool is_free(std::uint32_t port) const { return around(port).is_free(port); }
  // How many of the ports from first to last are free, as free_set::count_free() counts.
  [[nodiscard]] HOST_DEVICE std::uint32_t count_free(std::uint32_t first, std::uint32_t last) const {
    std::uint32_t free = 0;
    if (first < well_known) free += low_.count_free(first, last < well_known ? last : well_known - 1);
    if (last >= well_known) free += high_.count_free(first < well_known ? well_known : first, last);
    return free;
  }

 private:
  free_set high_;
  free_set low_;
};

}  // namespace packetwarp::nat
