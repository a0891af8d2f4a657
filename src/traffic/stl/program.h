// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace packetwarp::traffic::stl {

// A TRex stateless profile as passive data: streams of one packet each, into which a field engine's variables are
// written. python/trex_stl makes it, and has resolved names to offsets from the frame's first byte.

// How a variable takes its values: `random` draws each anew, `tuple` has two values, an address and a port.
enum class progress : std::uint8_t { inc, dec, random, tuple };

struct variable {
  std::string name;
  progress how{};
  std::uint64_t min{};
  std::uint64_t max{};  // at least min
  std::uint64_t first{};
  std::uint64_t step{1};
  std::vector<std::uint64_t> list{};    // the values instead of min to max, from the first one on
  std::uint64_t limit{};                // the values begin anew after this many; 0: never
  std::optional<std::uint64_t> seed{};  // of its random values; else the stream's
  // For a tuple: min and max are addresses.
  std::uint64_t port_min{};
  std::uint64_t port_max{};
};

enum class byte_order : std::uint8_t { big, little };
enum class action : std::uint8_t { write, write_masked, fix_ipv4, fix_udp, fix_tcp, trim };

// A step that is applied to each packet.
struct step {
  action what{};
  std::string variable{};  // of write, write_masked and trim: its name; a tuple's are name.ip and name.port
  std::uint16_t at{};      // of write: the first byte; of fix: the header that has the checksum
  std::uint16_t l3_at{};   // of fix_udp and fix_tcp: the IP header
  std::uint8_t size{};     // bytes of write: 1, 2, 4 or 8
  byte_order order{};
  std::int64_t add{};
  std::uint64_t mask{};  // of write_masked: bits that are written
  int shift{};           // of write_masked: to the left; to the right below 0
};

// A stream's times of sending: without an end, or bursts of packets with a gap between.
struct shape {
  bool is_continuous{true};
  std::uint64_t packets{};  // of a burst
  std::uint64_t bursts{};
  double gap_us{};  // from the last packet of a burst to the first of the next
};

struct stream {
  std::string name;
  std::vector<std::byte> packet;  // without a frame check sequence
  shape when{};
  rate how_fast{};
  bool starts_itself{true};
  double gap_us{};                    // from its start to its first packet
  std::optional<std::size_t> next{};  // the stream that starts when this one ends
  std::uint64_t most_rounds{};        // after it has ended this often, next is not started any more; 0: always
  std::uint64_t seed{};
  bool is_dummy{};        // takes its time but sends nothing
  bool has_fixed_rate{};  // a multiplier leaves its rate alone, as TRex's of latency streams
  std::vector<variable> variables{};
  std::vector<step> steps{};
};

struct program {
  std::string name;  // of the profile's file
  std::vector<stream> streams{};
  std::vector<std::string> notices{};  // the parts of the profile that are left out
};

// The speed relative to the profile, as TRex's -m: a factor, a rate of all streams, or as fast as possible.
struct multiplier {
  std::optional<rate> to{};
  double factor{1};
};

// "2", "74mpps", "10gbps", "50%", "max". Throws usage_error.
[[nodiscard]] multiplier parse_multiplier(std::string_view text, std::string_view option = "-m");

// Reads the output of python/read_stl_profile.py. Throws failure for any other text.
[[nodiscard]] program parse_program(std::string_view json);

}  // namespace packetwarp::traffic::stl
