// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "wire/address.h"

// The blocks of a pcapng file (draft-ietf-opsawg-pcapng), in this machine's byte order, which readers accept. Each call
// appends one block.
namespace packetwarp::pcapng {

enum class block_type : std::uint32_t {
  section_header = 0x0a0d0d0a,
  interface_description = 1,
  interface_statistics = 5,
  enhanced_packet = 6
};

// Begins a file. application: the program that writes it, with its version.
void append_section(std::string& to, std::string_view application);

struct interface_facts {
  std::string name;
  std::string description;  // or empty
  std::optional<wire::mac_address> mac;
  std::uint64_t bits_per_second{};  // 0: unknown
  std::uint32_t snap{};             // the most bytes of a packet that are kept
  std::string filter;               // libpcap's expression, or empty
};
// Interfaces are numbered from 0 in the order of their blocks. They carry Ethernet frames, with times in nanoseconds.
void append_interface(std::string& to, interface_facts const& facts);

enum class direction : std::uint32_t { unknown = 0, inbound = 1, outbound = 2 };

struct packet_facts {
  std::uint32_t interface {};
  std::uint64_t time{};      // nanoseconds since 1970, UTC
  std::uint32_t length{};    // bytes of the frame, without FCS
  std::uint32_t captured{};  // bytes of the frame in the file
  direction way{};
  std::string_view comment{};  // or empty
};
// A packet's block except its bytes: append_bytes() adds all of them, and then end() ends the block.
class packet_block {
 public:
  packet_block(std::string& to, packet_facts const& facts);
  void append_bytes(std::span<std::byte const> some);
  void end();

 private:
  std::string& to_;
  packet_facts facts_;
  std::size_t begin_;
};

// The counts of an interface, at the end of a file, each number in an option of its own.
enum class count_option : std::uint16_t { end = 0, seen = 4, missed = 5, accepted = 6, written = 8 };
struct interface_counts {
  std::uint64_t seen{};      // packets that were examined
  std::uint64_t accepted{};  // by the filter
  std::uint64_t missed{};    // accepted packets for which room was short
  std::uint64_t written{};
};
void append_statistics(std::string& to, std::uint32_t interface, std::uint64_t time, interface_counts const& counts);

}  // namespace packetwarp::pcapng
