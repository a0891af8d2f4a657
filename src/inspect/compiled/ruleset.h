// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "inspect/compiled/interval_tree.h"
#include "regex/automaton.h"

namespace packetwarp::inspect {

// Compiled rules: one piece of memory without a pointer in it, so that a copy of it anywhere, also in a GPU's memory,
// is the same rules. ruleset.cpp of compile_rules() writes it; code on packets reads it by ruleset_ref.

// Elements of one type, at an offset from the begin.
struct section {
  std::uint32_t offset;
  std::uint32_t count;
};

enum class packet_kind : std::uint8_t { other, tcp, udp, icmp };
inline constexpr std::size_t packet_kinds = 4;

// Literals are searched by one window of their bytes, in lower case, as long as the literal allows.
inline constexpr std::uint32_t window_kinds = 3;
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t window_bytes(std::uint32_t kind) noexcept { return 8 - 2 * kind; }
inline constexpr std::uint32_t most_filter_bits = 18;
inline constexpr std::uint32_t first_filter_bits = 17;
inline constexpr std::uint32_t first_filter_words = (1U << first_filter_bits) / 64;

// Facts of a packet that keep most rules away from it before they are read.
enum class packet_way : std::uint8_t { none, to_server, to_client };  // in its flow; none: it has no flow
inline constexpr std::uint32_t packet_ways = 3;
enum class http_chance : std::uint8_t { none, some };  // whether the packet may be of a connection that carries HTTP
struct packet_moment {
  bool begins_direction;  // of its flow
  bool is_established;    // its flow
  bool may_ask_name;      // by a message of DNS or TLS
};
inline constexpr std::uint32_t packet_moments = 8;

// The packet's class, as a bit.
inline constexpr std::uint32_t packet_classes = static_cast<std::uint32_t>(packet_kinds) * packet_ways * 2;
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t packet_class(packet_kind kind, packet_way way,
                                                               http_chance chance) noexcept {
  auto const number = static_cast<std::uint32_t>(kind) * packet_ways + static_cast<std::uint32_t>(way);
  return std::uint32_t{1} << (number * 2 + static_cast<std::uint32_t>(chance));
}
inline constexpr std::uint32_t every_class = ~std::uint32_t{0};

// Rows of bits by which packets find the rules without a literal (header_groups.h).
inline constexpr std::uint32_t group_axes = 4;  // addresses of IPv4: source, destination; ports: source, destination
inline constexpr std::uint32_t group_axis_ports = 2;
inline constexpr std::uint32_t group_facts = packet_kinds * packet_ways * packet_moments;
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t group_fact(packet_kind kind, packet_way way,
                                                             packet_moment moment) noexcept {
  auto const number = static_cast<std::uint32_t>(kind) * packet_ways + static_cast<std::uint32_t>(way);
  return number * packet_moments + (moment.begins_direction ? 1U : 0U) + (moment.is_established ? 2U : 0U) +
         (moment.may_ask_name ? 4U : 0U);
}
struct group_axis {
  interval_tree begins;  // of intervals
  section rows;          // std::uint32_t: of each interval
};
struct header_groups {
  section places;  // std::uint32_t: of the rules, ascending, by their bits
  section alone;   // std::uint32_t: their numbers among the rules of ruleset_header::alone, or not_alone
  section bits;    // std::uint64_t: of the rows, one after the other
  section facts;   // std::uint32_t: rows by group_fact()
  group_axis axes[group_axes];
  std::uint32_t words;      // per row, of the rules' bits
  std::uint32_t row_words;  // per row: the rules' bits, the bits of the sets of addresses or ports, and the summary
  std::uint32_t summary;    // begin of the row's summary: a bit for each word of the rules' bits, if that is not 0
  std::uint32_t ipv6;       // the row of the rules with addresses of IPv6, which have no intervals
};

struct window_table {
  section filter;   // std::uint64_t: a bit per hash
  section begins;   // std::uint32_t: of each bucket's entries, and the end
  section entries;  // window_entry
  std::uint32_t bucket_bits;
  std::uint32_t filter_bits;  // of a hash: small tables have small filters, which stay in the caches
};

struct ruleset_header {
  std::uint64_t bytes;               // of the whole piece
  section rules;                     // compiled_rule, in the order in which a packet meets them
  section checks;                    // compiled_check
  section buffers;                   // compiled_buffer
  section tests;                     // compiled_test
  section bit_uses;                  // compiled_bit_use
  section bit_numbers;               // std::uint32_t
  section rates;                     // compiled_rate
  section addresses;                 // address_group
  section ranges_ipv4;               // range32
  section ranges_ipv6;               // range128
  section ports;                     // section within port_ranges
  section port_ranges;               // range16
  section patterns;                  // bytes of contents
  section unfiltered[packet_kinds];  // std::uint32_t: rules without a literal to search, by the packets that may match
  section unfiltered_http[2];        // the same of rules that look at buffers of HTTP, which no other list has: for
                                     // requests and for responses, unfiltered_of()
  section alone;                     // std::uint32_t: places of the rules that a packet alone may match, ascending
  section alone_numbers;             // std::uint32_t: by place, the number in `alone`, or not_alone
  header_groups groups;              // of the rules in `unfiltered`
  section first_filter;              // std::uint64_t: a bit per hash of the first four bytes of a window of any kind
  section class_filters;             // the same by class of packets, one after another: of windows for these
  window_table windows[window_kinds];
  section automata;          // std::uint64_t: of expressions, one after another
  section automaton_places;  // std::uint32_t: by number of the expression, among `automata`, or no_automaton
  std::uint32_t flowbits;    // a flow's bits
  std::uint32_t flow_marks;  // the number of the first flow_mark among them, or no_flow_marks
  std::uint32_t regexes;
  std::uint32_t longest_rate;  // the most seconds of all rates
};

inline constexpr std::uint32_t not_alone = ~std::uint32_t{0};
inline constexpr std::uint32_t no_automaton = ~std::uint32_t{0};
inline constexpr std::uint32_t no_flow_marks = ~std::uint32_t{0};

// Bits of a flow that no rule names (packet/flow_marks.h).
enum class flow_mark : std::uint32_t { passed, alerted_to_server, alerted_to_client };
inline constexpr std::uint32_t flow_marks = 3;

struct compiled_rule {
  section checks;         // of the payload, within the checks of the header
  section name_checks;    // of the name that a DNS message or a TLS client asks for
  section dotted_checks;  // of the same with a dot before it
  section buffers;        // of a message of HTTP, with the checks of each
  section tests;
  section bit_uses;
  section rates;
  std::uint32_t source;  // numbers of groups
  std::uint32_t destination;
  std::uint32_t source_port;
  std::uint32_t destination_port;
  std::uint32_t number;        // in rule_set::rules
  std::uint32_t http_buffers;  // bits: buffers of HTTP with checks; 0: the rule has none
  std::uint8_t action;
  std::uint8_t protocol;    // rule_protocol
  std::uint8_t ip_version;  // 0: both
  std::uint8_t direction;   // direction_need
  std::uint8_t connection;  // connection_need
  std::uint8_t fragment;    // fragment_need
  std::uint8_t endpoints;   // endpoint_check
  std::uint8_t is_silent;
  std::uint8_t scope;        // rule_scope
  std::uint8_t messages;     // of HTTP that may match: in_requests, in_responses
  std::uint8_t stream;       // stream_use
  std::uint8_t bypasses;     // 1: the later packets of the flow are not judged
  std::uint8_t late;         // late_use
  std::uint8_t names_ports;  // 1: a packet without ports does not match
  // The first bytes of a content of the payload that can lie at one place only, in small letters, the first one lowest.
  std::uint16_t anchor_at;
  std::uint32_t anchor;
  std::uint32_t anchor_mask;  // 0: the rule has none
};
static_assert(sizeof(compiled_rule) == 104);

// The packets of a flow for which a rule holds. Rules of addresses and ports alone do not hold for each packet alike.
enum class rule_scope : std::uint8_t {
  packets,      // every packet that it matches
  directions,   // the first packet of each direction: it matches no other one, and decides on the rest of the flow
  first_alerts  // it matches every packet, and decides on each of them, but alerts once per direction
};

// How a rule is judged by an executor that cannot decide on one of its expressions, once all before it has matched.
enum class late_use : std::uint8_t {
  none,    // the executor decides on all expressions
  by_cpu,  // the CPU decides later, from a copy of the payload, whether the rule alerts
  never    // a match would change how later rules or packets are judged: the rule does not match, and is counted
};

// How a packet's addresses and ports are compared with a rule's: in the rule's direction or in either one; or not at
// all for a packet of IPv4 that has found the rule by its rows, which have compared them.
enum class endpoint_check : std::uint8_t { one_way, either_way, by_rows };

// The bytes in which a rule's contents are searched in TCP: a packet's payload, the stream, or both, because an offset
// may count from the begin of either.
enum class stream_use : std::uint8_t { packet, stream, both, only_stream };

// A buffer of HTTP's messages, and a rule's checks of it.
struct compiled_buffer {
  section checks;                  // within the checks of the header
  std::uint32_t number;            // 0 for http_method, and so on
  std::uint16_t matches_absence;   // 1: a message without the buffer matches, for all checks are negated
  std::uint16_t needs_whole_body;  // 1: the checks may match a part of a body, and not all of it
};
static_assert(sizeof(compiled_buffer) == 16);

enum class check_kind : std::uint8_t { content, regex, byte_test, byte_jump, data_at, size };
namespace check_flag {
inline constexpr std::uint16_t negated = 1;
inline constexpr std::uint16_t ignores_case = 2;
inline constexpr std::uint16_t relative = 4;
inline constexpr std::uint16_t next_is_relative = 8;
inline constexpr std::uint16_t at_end = 16;
inline constexpr std::uint16_t has_offset = 32;
inline constexpr std::uint16_t has_depth = 64;
inline constexpr std::uint16_t has_distance = 128;
inline constexpr std::uint16_t has_within = 256;
inline constexpr std::uint16_t little_endian = 512;
inline constexpr std::uint16_t masked = 1024;
inline constexpr std::uint16_t aligned = 2048;
}  // namespace check_flag

struct compiled_check {
  std::uint64_t value;  // of byte_test and bsize
  std::int32_t offset;
  std::int32_t depth;
  std::int32_t distance;
  std::int32_t within;
  std::uint32_t pattern;  // offset among the patterns; of a regex: its number
  std::uint32_t length;   // of the pattern; of isdataat: its bytes
  std::uint32_t mask;     // of bsize: the upper bound
  std::uint32_t multiplier;
  std::int32_t post_offset;
  std::uint16_t flags;  // check_flag
  check_kind kind;
  std::uint8_t how;    // byte_operator, jump_origin or number_relation
  std::uint8_t bytes;  // of the number
  std::uint8_t base;   // of its text, or any_base; 0: binary
  std::uint8_t reserved[6];
};
static_assert(sizeof(compiled_check) == 56);

enum class test_kind : std::uint8_t { payload_size, ttl, icmp_type, icmp_code, tcp_flags };
struct compiled_test {
  std::uint32_t value;
  std::uint32_t upper;
  test_kind kind;
  std::uint8_t relation;  // number_relation or flags_relation
  std::uint8_t ignored;   // TCP flags
  std::uint8_t reserved;
};

struct compiled_bit_use {
  section numbers;     // among bit_numbers
  std::uint32_t what;  // flowbit_operation
};

struct compiled_rate {
  std::uint32_t count;
  std::uint32_t seconds;
  std::uint8_t kind;   // rate_kind
  std::uint8_t track;  // rate_track
  std::uint8_t reserved[2];
};

struct address_group {
  section ipv4;
  section ipv6;
};
struct range16 {
  std::uint16_t first;
  std::uint16_t last;
};
struct range32 {
  std::uint32_t first;
  std::uint32_t last;
};
struct range128 {
  std::uint64_t first_high;
  std::uint64_t first_low;
  std::uint64_t last_high;
  std::uint64_t last_low;
};
struct window_entry {
  std::uint64_t bytes;    // of the window, the first one lowest
  std::uint32_t rule;     // its place among the rules
  std::uint32_t classes;  // bits of packet_class(): the packets that the rule may match
};
static_assert(std::is_trivially_copyable_v<ruleset_header>);

// A view of compiled rules.
struct ruleset_ref {
  std::byte const* base;

  [[nodiscard]] HOST_DEVICE ruleset_header const& header() const {
    return *reinterpret_cast<ruleset_header const*>(base);
  }
  template <class Element>
  [[nodiscard]] HOST_DEVICE Element const* at(section const& part) const {
    return reinterpret_cast<Element const*>(base + part.offset);
  }
  [[nodiscard]] HOST_DEVICE compiled_rule const& rule(std::uint32_t place) const {
    return at<compiled_rule>(header().rules)[place];
  }
  // The rule of this number among those that a packet alone may match.
  [[nodiscard]] HOST_DEVICE compiled_rule const& rule_alone(std::uint32_t number) const {
    return rule(at<std::uint32_t>(header().alone)[number]);
  }
  // The place of the automaton of the expression of this number, for automaton_at(), or no_automaton. It is a number,
  // and no address that may be null: ptxas 13.0.88 took such an address for one that is not null, as the comparison
  // read its register sooner than the zeroes were there (python/gpu/stale_reads.py finds such code).
  [[nodiscard]] HOST_DEVICE std::uint32_t automaton_place(std::uint32_t number) const {
    return at<std::uint32_t>(header().automaton_places)[number];
  }
  [[nodiscard]] HOST_DEVICE regex::automaton_ref automaton_at(std::uint32_t place) const {
    return {reinterpret_cast<std::byte const*>(at<std::uint64_t>(header().automata) + place)};
  }
};

}  // namespace packetwarp::inspect
