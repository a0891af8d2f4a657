// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "capture/pcapng.h"

#include <cstring>

namespace packetwarp::pcapng {
namespace {

constexpr std::uint32_t byte_order_magic = 0x1a2b3c4d;
constexpr std::uint16_t link_type_ethernet = 1;

// Option codes: each kind of block has its own from 2 on.
constexpr std::uint16_t end_of_options = 0, comment = 1;
constexpr std::uint16_t section_application = 4;
constexpr std::uint16_t interface_name = 2, interface_description = 3, interface_mac = 6, interface_speed = 8,
                        interface_resolution = 9, interface_filter = 11;
constexpr std::uint16_t packet_flags = 2;

template <class Value>
void append(std::string& to, Value value) {
  to.append(reinterpret_cast<char const*>(&value), sizeof value);
}

// Everything in a block starts at a multiple of four bytes.
void pad(std::string& to, std::size_t size) { to.append((4 - size % 4) % 4, '\0'); }

void append_option(std::string& to, std::uint16_t code, std::string_view value) {
  value = value.substr(0, 0xffff);
  append(to, code);
  append(to, static_cast<std::uint16_t>(value.size()));
  to.append(value);
  pad(to, value.size());
}

template <class Value>
void append_number(std::string& to, std::uint16_t code, Value value) {
  append_option(to, code, {reinterpret_cast<char const*>(&value), sizeof value});
}

void append_count(std::string& to, count_option what, std::uint64_t count) {
  append_number(to, static_cast<std::uint16_t>(what), count);
}

[[nodiscard]] std::size_t begin_block(std::string& to, block_type type) {
  auto const begin = to.size();
  append(to, type);
  append(to, std::uint32_t{0});
  return begin;
}

// The length, now known, is written at both ends of the block.
void end_block(std::string& to, std::size_t begin) {
  auto const length = static_cast<std::uint32_t>(to.size() - begin + sizeof(std::uint32_t));
  std::memcpy(&to[begin + sizeof(std::uint32_t)], &length, sizeof length);
  append(to, length);
}

// A time is written as two halves, the upper one first, in either byte order.
void append_time(std::string& to, std::uint64_t time) {
  append(to, static_cast<std::uint32_t>(time >> 32));
  append(to, static_cast<std::uint32_t>(time));
}

}  // namespace

void append_section(std::string& to, std::string_view application) {
  auto const begin = begin_block(to, block_type::section_header);
  append(to, byte_order_magic);
  append(to, std::uint16_t{1});  // version 1.0
  append(to, std::uint16_t{0});
  append(to, std::int64_t{-1});  // the section's length is unknown: it shows at the section's end
  append_option(to, section_application, application);
  append_option(to, end_of_options, {});
  end_block(to, begin);
}

void append_interface(std::string& to, interface_facts const& facts) {
  auto const begin = begin_block(to, block_type::interface_description);
  append(to, link_type_ethernet);
  append(to, std::uint16_t{0});
  append(to, facts.snap);
  append_option(to, interface_name, facts.name);
  if (!facts.description.empty()) append_option(to, interface_description, facts.description);
  if (facts.mac) append_number(to, interface_mac, *facts.mac);
  if (facts.bits_per_second != 0) append_number(to, interface_speed, facts.bits_per_second);
  append_number(to, interface_resolution, std::uint8_t{9});
  if (!facts.filter.empty()) append_option(to, interface_filter, std::string(1, '\0') + facts.filter);
  append_option(to, end_of_options, {});
  end_block(to, begin);
}

packet_block::packet_block(std::string& to, packet_facts const& facts)
    : to_{to}, facts_{facts}, begin_{begin_block(to, block_type::enhanced_packet)} {
  append(to_, facts_.interface);
  append_time(to_, facts_.time);
  append(to_, facts_.captured);
  append(to_, facts_.length);
}

void packet_block::append_bytes(std::span<std::byte const> some) {
  to_.append(reinterpret_cast<char const*>(some.data()), some.size());
}

void packet_block::end() {
  pad(to_, facts_.captured);
  if (!facts_.comment.empty()) append_option(to_, comment, facts_.comment);
  if (facts_.way != direction::unknown) append_number(to_, packet_flags, facts_.way);
  append_option(to_, end_of_options, {});
  end_block(to_, begin_);
}

void append_statistics(std::string& to, std::uint32_t interface, std::uint64_t time, interface_counts const& counts) {
  auto const begin = begin_block(to, block_type::interface_statistics);
  append(to, interface);
  append_time(to, time);
  append_count(to, count_option::seen, counts.seen);
  append_count(to, count_option::missed, counts.missed);
  append_count(to, count_option::accepted, counts.accepted);
  append_count(to, count_option::written, counts.written);
  append_option(to, end_of_options, {});
  end_block(to, begin);
}

}  // namespace packetwarp::pcapng
