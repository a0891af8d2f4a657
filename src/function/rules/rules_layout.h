// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "burst/verdict.h"

namespace packetwarp {

// Compiled flow rules as CPU and GPU read them. A group of rules is a list of tuples: rules that match the same bits of
// the same headers share a tuple, whose hash table finds them by these bits (tuple space search: Srinivasan, Suri,
// Varghese, SIGCOMM 1999). A lookup costs a probe per tuple, however many rules exist.

// A rule's demands on a packet's structure; or-ed into one word.
namespace rules_fact {
inline constexpr std::uint32_t vlan = 1U << 0;        // a VLAN tag
inline constexpr std::uint32_t inner_vlan = 1U << 1;  // a second VLAN tag
inline constexpr std::uint32_t ipv4 = 1U << 2;
inline constexpr std::uint32_t ipv6 = 1U << 3;
inline constexpr std::uint32_t fragment = 1U << 4;
inline constexpr std::uint32_t udp = 1U << 5;
inline constexpr std::uint32_t tcp = 1U << 6;
inline constexpr std::uint32_t icmp = 1U << 7;
inline constexpr std::uint32_t icmpv6 = 1U << 8;  // for checksums of edits: no rule asks for it
}  // namespace rules_fact

// The headers that rules match bits of. Every packet has Ethernet's; a rule that matches another header asks for its
// fact.
enum class rules_header : std::uint8_t { ethernet, vlan, inner_vlan, l3, l4 };
inline constexpr unsigned rules_headers = 5;

// 32 bits of a header: `offset` is of the word's first byte, and `mask` is in the machine's order.
struct rules_word {
  rules_header header{};
  std::uint8_t reserved{};
  std::uint16_t offset{};
  std::uint32_t mask{};
};
static_assert(sizeof(rules_word) == 8 && std::is_trivially_copyable_v<rules_word>);
// All words of the known headers: Ethernet 4, two tags 2, IPv6 10, TCP's 5.
inline constexpr unsigned max_rules_words = 24;

// The slots of its hash table hold the line of a rule plus one, or 0, and the masked words of its key.
struct rules_tuple {
  std::uint16_t facts_mask{};
  std::uint16_t facts{};
  std::uint32_t first_rank{};  // of its earliest rule
  rules_word first_word{};     // most tuples have one word, and a rule found by it needs no others
  std::uint32_t words_at{};
  std::uint32_t words{};
  std::uint32_t slots_at{};   // in 32-bit units
  std::uint32_t slot_mask{};  // slots less one; a power of two less one
};
static_assert(sizeof(rules_tuple) == 32 && std::is_trivially_copyable_v<rules_tuple>);

// The values of a word of a plain packet (rules_packet.h) that rules may match, by 11 bits of their hash: for most
// packets that match no rule, one bit of each word shows it, without a probe per tuple.
struct rules_screen {
  static constexpr unsigned most = 4;  // per port
  static constexpr unsigned bits = 11;
  std::uint32_t mask{};  // in network order, as the word lies in the packet
  std::uint32_t at{};    // of the word, in the packet
  std::uint32_t may_match[(1U << bits) / 32]{};
};
static_assert(sizeof(rules_screen) == 264 && std::is_trivially_copyable_v<rules_screen>);

struct rules_group {
  std::uint32_t tuples_at{};
  std::uint32_t tuples{};
};
static_assert(sizeof(rules_group) == 8);

// A field that must lie between two values: `size` bytes of which `mask` count, in network order.
struct rules_range {
  rules_header header{};
  std::uint8_t size{};
  std::uint16_t offset{};
  std::byte mask[16]{};
  std::byte low[16]{};
  std::byte high[16]{};
};
static_assert(sizeof(rules_range) == 52 && std::is_trivially_copyable_v<rules_range>);

// A rule; its actions follow it. Ranks number all rules; a rule of a lower rank is applied earlier.
struct rules_entry {
  static constexpr std::uint32_t none = 0xffff'ffff;
  std::uint32_t rank{};
  std::uint32_t next{none};  // with the same key and a higher rank
  std::uint32_t ranges_at{};
  std::uint16_t ranges{};
  std::uint16_t actions{};
};
static_assert(sizeof(rules_entry) == 16 && std::is_trivially_copyable_v<rules_entry>);

enum class rules_verb : std::uint8_t {
  jump,   // value: a group
  leave,  // value: a port
  to_host,
  drop,
  pass_through,  // later rules of the group apply as well
  count,         // value: a counter
  set_mac_source,
  set_mac_destination,
  set_ipv4_source,  // value: the address
  set_ipv4_destination,
  set_ipv6_source,
  set_ipv6_destination,
  set_source_port,  // value: the port
  set_destination_port,
  set_ttl,  // value: the hops
  decrement_ttl,
  pop_vlan,
  push_vlan,         // value: the EtherType of the tag
  set_vlan_id,       // value: the identifier
  set_vlan_priority  // value: the code point
};

struct rules_action {
  rules_verb verb{};
  std::uint8_t reserved[3]{};
  std::uint32_t value{};
  std::byte bytes[16]{};  // the addresses of IPv6, longer than a value
};
static_assert(sizeof(rules_action) == 24 && std::is_trivially_copyable_v<rules_action>);

// The rules' memory: each rule begins a line and takes as many lines as it needs, one if it has up to two actions. A
// rule's name is the number of its first line.
struct alignas(64) rules_line {
  std::byte bytes[64]{};
};
static_assert(sizeof(rules_line) == sizeof(rules_entry) + 2 * sizeof(rules_action));

// The groups where a port's packets begin, and the fate of packets that match no rule.
struct rules_port {
  std::uint32_t transfer{};
  std::uint32_t ingress{};
  std::uint32_t egress{};
  std::uint32_t isolated{};  // 1: dropped, 0: to the host
  // For transfer and ingress rules together: a plain packet that matches no screen matches no rule, and is not dropped.
  // If a port's rules cannot be screened, a screen that matches every packet stands for them.
  std::uint32_t screens_at{};
  std::uint32_t screens{};
};
static_assert(sizeof(rules_port) == 24);
inline constexpr unsigned max_rules_ports = 32;

// The count of a rule with `count`. Every executor that runs rules writes it, a word at a time.
struct rules_counter {
  std::uint64_t hits{};
  std::uint64_t bytes{};
};
static_assert(sizeof(rules_counter) == 16 && std::is_trivially_copyable_v<rules_counter>);

// Rules that apply together: the arrays of one build, in any memory.
struct rules_set {
  std::uint32_t const* slots{};
  rules_tuple const* tuples{};
  rules_word const* words{};
  rules_group const* groups{};
  rules_range const* ranges{};
  rules_screen const* screens{};
  rules_line const* lines{};
  rules_port const* ports{};
  rules_counter* counters{};
  std::uint64_t egress_ports{};  // bit n: port n has egress rules

  [[nodiscard]] HOST_DEVICE rules_entry const& entry(std::uint32_t line) const noexcept {
    return *reinterpret_cast<rules_entry const*>(lines + line);
  }
  [[nodiscard]] HOST_DEVICE static rules_action const* actions_of(rules_entry const& entry) noexcept {
    return reinterpret_cast<rules_action const*>(&entry + 1);
  }
};
static_assert(sizeof(rules_set) == 80 && std::is_trivially_copyable_v<rules_set>);

// Two sets of rules: the set that applies, and room for the next one. A set is only written while no packet uses it, so
// packets in flight see only `current` change.
struct alignas(64) rules_root {
  rules_set sets[2];
  alignas(64) std::uint64_t current{};  // 0 or 1

  [[nodiscard]] HOST_DEVICE rules_set const& in_force() const noexcept {
    cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system> const word{const_cast<std::uint64_t&>(current)};
#if defined(__CUDA_ARCH__)
    // The set was complete before the packet's burst was submitted (rules_table::prepare).
    return sets[word.load(cuda::memory_order_relaxed) & 1];
#else
    return sets[word.load(cuda::memory_order_acquire) & 1];
#endif
  }
};
static_assert(sizeof(rules_root) == 256 && std::is_trivially_copyable_v<rules_root>);

// A view of a rules_table for the packets that come in on one port. Valid as long as the table.
struct rules_ref {
  rules_root const* root{};
  std::uint32_t port{};                       // that they come in on
  egress_index leaves_by[max_rules_ports]{};  // where the pipeline sends packets that leave by a port
  // By egress: its port, or no_port if the port has no egress rules to apply.
  std::uint8_t port_of[max_rules_ports]{};
  static constexpr std::uint8_t no_port = 0xff;
};
static_assert(std::is_trivially_copyable_v<rules_ref> && sizeof(rules_ref) <= 256);

}  // namespace packetwarp
