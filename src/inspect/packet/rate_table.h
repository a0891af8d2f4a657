// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "inspect/compiled/ruleset.h"
#include "inspect/match/inspected_packet.h"

namespace packetwarp::inspect {

// The counts of threshold and detection_filter, per rule and tracked thing.
class rate_table {
 public:
  explicit rate_table(std::size_t most) : most_{most} {}

  // Whether the match at this time may alert. rate: its place among the rates. flow: the packet's key. If the table is
  // full, a new thing is not counted, and its match alerts unless a detection_filter asks for more than one.
  [[nodiscard]] bool allows(compiled_rate const& rate, std::uint32_t place, inspected_packet const& packet,
                            std::uint64_t flow, std::uint64_t nanoseconds);
  [[nodiscard]] std::uint64_t without_place() const { return without_place_; }

 private:
  struct thing {
    std::uint64_t words[4];
    std::uint32_t place;
    std::uint32_t ip_version;
    friend bool operator==(thing const&, thing const&) = default;
  };
  struct hash_thing {
    [[nodiscard]] std::size_t operator()(thing const& of) const;
  };
  struct count {
    std::uint64_t since;
    std::uint32_t matches;
  };

  [[nodiscard]] static thing thing_of(compiled_rate const& rate, std::uint32_t place, inspected_packet const& packet,
                                      std::uint64_t flow);

  std::size_t most_;
  std::unordered_map<thing, count, hash_thing> counts_;
  std::uint64_t without_place_{};
};

}  // namespace packetwarp::inspect
