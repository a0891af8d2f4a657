// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/compile/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "flow/image.h"
#include "flow/value_text.h"
#include "wire/big_endian.h"

namespace packetwarp::flow {
namespace {

// Items in the order of a packet's headers.
enum class layer : std::uint8_t { ethernet, vlan, inner_vlan, l3, l4, behind };

[[nodiscard]] std::string_view name_of(item_kind kind) { return grammar_of(kind).name; }

// Bytes of a header's image that are on the wire; flags follow them.
[[nodiscard]] unsigned wire_bytes(item_kind kind) {
  switch (kind) {
    case item_kind::eth:
      return 14;
    case item_kind::vlan:
      return 4;
    case item_kind::ipv6:
      return 40;
    default:
      return grammar_of(kind).image_size;
  }
}

[[nodiscard]] rules_header header_of(layer where) {
  constexpr rules_header headers[] = {rules_header::ethernet, rules_header::vlan, rules_header::inner_vlan,
                                      rules_header::l3, rules_header::l4};
  return headers[static_cast<std::size_t>(where)];
}

[[nodiscard]] layer place_item(item_kind kind, layer next) {
  switch (kind) {
    case item_kind::eth:
      return layer::ethernet;
    case item_kind::vlan:
      return next <= layer::vlan ? layer::vlan : layer::inner_vlan;
    case item_kind::ipv4:
    case item_kind::ipv6:
      return layer::l3;
    case item_kind::any:
      return next == layer::ethernet ? layer::ethernet : next <= layer::l3 ? layer::l3 : layer::l4;
    default:
      return layer::l4;
  }
}

// rte_flow's masks of items without one (rte_flow_item_*_mask).
[[nodiscard]] image_bytes default_mask(item_kind kind) {
  image_bytes mask{};
  auto const ones = [&](std::size_t at, std::size_t bytes) { std::fill_n(mask.begin() + at, bytes, std::byte{0xff}); };
  switch (kind) {
    case item_kind::eth:
      ones(0, 12);
      break;
    case item_kind::vlan:
      mask[0] = std::byte{0x0f};
      ones(1, 1);
      break;
    case item_kind::ipv4:
      ones(12, 8);
      break;
    case item_kind::ipv6:
      ones(8, 32);
      break;
    case item_kind::icmp:
      ones(0, 2);
      break;
    case item_kind::udp:
    case item_kind::tcp:
      ones(0, 4);
      break;
    default:
      break;
  }
  return mask;
}

class pattern_compiler {
 public:
  compiled_pattern made;

  void add(item const& what) {
    if (what.kind == item_kind::void_item) return;
    auto const where = place_item(what.kind, next_);
    if (where < next_ || where == layer::behind) {
      throw usage_error(
          fmt::format("item {} cannot come here; items go from eth over vlan (at most two), then ipv4 or "
                      "ipv6, to udp, tcp or icmp",
                      name_of(what.kind)));
    }
    next_ = static_cast<layer>(static_cast<int>(where) + 1);
    ask_for_header(what.kind, where);
    auto image = image_of(what);
    if (!image.has_spec) {
      if (!image.has_mask && !image.has_last) return;
      throw usage_error(fmt::format("item {} has a {} and no value that it is for; add spec, or say `is`",
                                    name_of(what.kind), image.has_mask ? "mask" : "last"));
    }
    if (!image.has_mask) image.mask = default_mask(what.kind);
    if (what.kind == item_kind::any) return check_any(image);
    if (image.has_last) take_ranges(what, where, image);
    take_flags(what.kind, where, image);
    take_words(what.kind, where, image);
  }

 private:
  void ask(std::uint32_t fact, std::uint32_t wanted) {
    if ((made.facts_mask & fact) != 0 && (made.facts & fact) != (wanted & fact)) {
      throw usage_error("items contradict each other: no packet is like that");
    }
    made.facts_mask |= fact;
    made.facts |= wanted & fact;
  }

  void ask_for_header(item_kind kind, layer where) {
    switch (kind) {
      case item_kind::vlan:
        return where == layer::vlan ? ask(rules_fact::vlan, rules_fact::vlan)
                                    : ask(rules_fact::inner_vlan, rules_fact::inner_vlan);
      case item_kind::ipv4:
        return ask(rules_fact::ipv4, rules_fact::ipv4);
      case item_kind::ipv6:
        return ask(rules_fact::ipv6, rules_fact::ipv6);
      case item_kind::udp:
        return ask(rules_fact::udp, rules_fact::udp);
      case item_kind::tcp:
        return ask(rules_fact::tcp, rules_fact::tcp);
      case item_kind::icmp:
        if ((made.facts & rules_fact::ipv6) != 0) {
          throw usage_error("item icmp is of ipv4; ICMPv6 is not among the items of tables");
        }
        return ask(rules_fact::icmp, rules_fact::icmp);
      default:
        return;
    }
  }

  // An `any` stands for one header.
  static void check_any(item_image const& image) {
    std::uint32_t mask = 0;
    std::uint32_t number = 0;
    std::memcpy(&mask, image.mask.data(), sizeof mask);
    std::memcpy(&number, image.spec.data(), sizeof number);
    if (mask != 0 && (number & mask) != 1) throw usage_error("item any stands for one header; leave out num, or say 1");
  }

  void take_flags(item_kind kind, layer where, item_image& image) {
    auto const flag = [&](std::size_t at, std::byte bit, std::uint32_t fact) {
      if ((image.mask[at] & bit) == std::byte{0}) return;
      ask(fact, (image.spec[at] & bit) != std::byte{0} ? fact : 0);
    };
    if (kind == item_kind::eth) flag(14, std::byte{1}, rules_fact::vlan);
    if (kind == item_kind::ipv6) flag(40, std::byte{4}, rules_fact::fragment);
    if (kind != item_kind::vlan || (image.mask[4] & std::byte{1}) == std::byte{0}) return;
    if (where == layer::inner_vlan) throw usage_error("item vlan: has_more_vlan is not known of the second tag");
    flag(4, std::byte{1}, rules_fact::inner_vlan);
  }

  // Four bytes at a time; the last word of a header that is no multiple of four overlaps the one before it.
  void take_words(item_kind kind, layer where, item_image const& image) {
    auto const size = wire_bytes(kind);
    for (unsigned at = 0; at < size; at += 4) {
      auto const start = std::min(at, size - 4);
      auto mask = wire::load_be<std::uint32_t>(image.mask.data() + start);
      if (start != at) mask &= 0xffff'ffffU >> 8 * (at - start);
      if (mask == 0) continue;
      made.words.push_back(
          {.where = {.header = header_of(where), .offset = static_cast<std::uint16_t>(start), .mask = mask},
           .value = wire::load_be<std::uint32_t>(image.spec.data() + start) & mask});
    }
  }

  // Fields with an upper bound leave the key: their bits are compared with both ends.
  void take_ranges(item const& what, layer where, item_image& image) {
    auto const fields = grammar_of(what.kind).fields;
    std::vector<bool> seen(fields.size());
    for (auto const& set : what.settings) {
      if (set.how != relation::last || seen[set.field]) continue;
      seen[set.field] = true;
      take_range(what.kind, fields[set.field], where, image);
    }
  }

  void take_range(item_kind kind, field const& of, layer where, item_image& image) {
    if (of.offset >= wire_bytes(kind)) {
      throw usage_error(fmt::format("item {}: {} is a flag, of which there is no range", name_of(kind), of.name));
    }
    rules_range range{.header = header_of(where), .size = of.size, .offset = of.offset};
    image_bytes own{};
    put_ones(of, of.width(), own.data());
    bool bounded = false;
    for (unsigned i = 0; i < of.size; ++i) {
      auto const at = of.offset + i;
      range.mask[i] = own[at] & image.mask[at];
      range.low[i] = image.spec[at] & range.mask[i];
      range.high[i] = image.last[at] & range.mask[i];
      bounded |= range.high[i] != std::byte{0};
    }
    // rte_flow ignores an upper bound of 0.
    if (!bounded) return;
    if (std::memcmp(range.low, range.high, of.size) > 0) {
      throw usage_error(
          fmt::format("item {}: the last {} is below the first; no packet is like that", name_of(kind), of.name));
    }
    for (unsigned i = 0; i < of.size; ++i) image.mask[of.offset + i] &= ~own[of.offset + i];
    made.ranges.push_back(range);
  }

  layer next_{layer::ethernet};
};

}  // namespace

compiled_pattern compile_pattern(std::span<item const> pattern) {
  pattern_compiler work;
  for (auto const& one : pattern) work.add(one);
  return std::move(work.made);
}

}  // namespace packetwarp::flow
