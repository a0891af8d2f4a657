// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "routing/lpm_table.h"

#include <algorithm>

namespace packetwarp {
namespace {

// The part of an address that is the index into the root, or into a group at `level` (1 is the first below the root).
[[nodiscard]] std::size_t index_at(wire::ipv6_address const& bits, unsigned level) {
  if (level == 0) return bits.high >> (64 - lpm_ref::root_bits);
  unsigned const end = lpm_ref::root_bits + level * lpm_ref::group_bits;
  auto const half = end <= 64 ? bits.high >> (64 - end) : bits.low >> (128 - end);
  return half & (lpm_ref::group_size - 1);
}

// The bits that a prefix of this length leaves open in its last index.
[[nodiscard]] unsigned bits_left(unsigned length) {
  if (length <= lpm_ref::root_bits) return lpm_ref::root_bits - length;
  return (lpm_ref::group_bits - (length - lpm_ref::root_bits) % lpm_ref::group_bits) % lpm_ref::group_bits;
}

}  // namespace

lpm_table::lpm_table(table_places const& copies, std::uint32_t groups)
    : root_{copies, lpm_ref::root_size}, groups_{copies, std::size_t{groups} * lpm_ref::group_size} {
  free_.resize(groups);
  for (std::uint32_t n = 0; n < groups; ++n) free_[n] = groups - 1 - n;
}

unsigned lpm_table::levels_below_root(unsigned length) {
  return length <= lpm_ref::root_bits ? 0
                                      : (length - lpm_ref::root_bits + lpm_ref::group_bits - 1) / lpm_ref::group_bits;
}

unsigned lpm_table::groups_missing(lpm_prefix prefix) {
  unsigned const levels = levels_below_root(prefix.length);
  place where{&root_, index_at(prefix.bits, 0)};
  for (unsigned level = 0; level < levels; ++level) {
    auto const entry = load(where);
    if (!entry.is_group()) return levels - level;
    where = in_group(entry, index_at(prefix.bits, level + 1));
  }
  return 0;
}

lpm_entry lpm_table::make_group(lpm_entry of_all) {
  auto const group = lpm_entry::of_group(free_.back());
  free_.pop_back();
  for (std::size_t n = 0; n < lpm_ref::group_size; ++n) store(in_group(group, n), of_all);
  return group;
}

// The path to a prefix's entries; missing groups are made.
lpm_table::path lpm_table::walk(lpm_prefix prefix) {
  path way;
  way.depth = levels_below_root(prefix.length);
  way.slots[0] = {&root_, index_at(prefix.bits, 0)};
  for (unsigned level = 0; level < way.depth; ++level) {
    auto entry = load(way.slots[level]);
    if (!entry.is_group()) {
      entry = make_group(entry);
      store(way.slots[level], entry);
    }
    way.slots[level + 1] = in_group(entry, index_at(prefix.bits, level + 1));
  }
  way.span = std::size_t{1} << bits_left(prefix.length);
  return way;
}

// Paint writes the entry wherever no longer prefix decides; uncover writes it wherever a prefix of this length decided.
void lpm_table::begin(rule what, lpm_prefix prefix, lpm_entry entry) {
  change_ = {.what = what, .length = prefix.length, .entry = entry, .way = walk(prefix)};
  change_.ranges[0] = {change_.way.slots[change_.way.depth], change_.way.span};
  change_.depth = 1;
}

void lpm_table::write_next() {
  auto& here = change_.ranges[change_.depth - 1];
  if (here.left == 0) {
    --change_.depth;
    return;
  }
  auto const where = here.next;
  ++here.next.at;
  --here.left;
  auto const old = load(where);
  if (old.is_group()) {
    change_.ranges[change_.depth++] = {in_group(old, 0), lpm_ref::group_size};
    return;
  }
  bool const is_ours = change_.what == rule::paint ? old.length() <= change_.length && old != change_.entry
                                                   : old.length() == change_.length;
  if (is_ours) store(where, change_.entry);
}

bool lpm_table::step(std::size_t& entries) {
  for (; change_.depth != 0 && entries != 0; --entries) {
    write_next();
    if (change_.depth == 0 && change_.what == rule::uncover) collapse(change_.way);
  }
  return change_.depth == 0;
}

void lpm_table::finish() {
  auto all = ~std::size_t{0};
  (void)step(all);
}

// Gives up the groups at the end of a path whose entries are all equal.
void lpm_table::collapse(path const& way) {
  for (unsigned level = way.depth; level > 0; --level) {
    auto const group = load(way.slots[level - 1]);
    auto const first = load(in_group(group, 0));
    // Longer prefixes with equal entries need their group again when one of them is removed.
    unsigned const reached = lpm_ref::root_bits + (level - 1) * lpm_ref::group_bits;
    if (first.is_group() || first.length() > reached) return;
    for (std::size_t n = 1; n < lpm_ref::group_size; ++n) {
      if (load(in_group(group, n)) != first) return;
    }
    store(way.slots[level - 1], first);
    left_.push_back(group.index());
  }
}

lpm_entry lpm_table::covering(lpm_prefix prefix) const {
  for (unsigned length = prefix.length; length-- > 0;) {
    if (by_length_[length].empty()) continue;
    auto const shorter = lpm_prefix{prefix.bits, length}.masked();
    if (auto const found = find(shorter)) return lpm_entry::of_next_hop(*found, length);
  }
  return lpm_entry{0};
}

bool lpm_table::begin_set(lpm_prefix prefix, std::uint32_t next_hop) {
  finish();
  prefix = prefix.masked();
  if (groups_missing(prefix) > free_.size()) return false;
  if (by_length_[prefix.length].insert_or_assign(prefix.bits, next_hop).second) ++prefixes_;
  begin(rule::paint, prefix, lpm_entry::of_next_hop(next_hop, prefix.length));
  return true;
}

bool lpm_table::begin_remove(lpm_prefix prefix) {
  finish();
  prefix = prefix.masked();
  if (by_length_[prefix.length].erase(prefix.bits) == 0) return false;
  --prefixes_;
  begin(rule::uncover, prefix, covering(prefix));
  return true;
}

bool lpm_table::set(lpm_prefix prefix, std::uint32_t next_hop) {
  bool const has_room = begin_set(prefix, next_hop);
  finish();
  return has_room;
}

bool lpm_table::remove(lpm_prefix prefix) {
  bool const was_there = begin_remove(prefix);
  finish();
  return was_there;
}

std::optional<std::uint32_t> lpm_table::find(lpm_prefix prefix) const {
  auto const& same_length = by_length_[prefix.length];
  auto const found = same_length.find(prefix.masked().bits);
  return found == same_length.end() ? std::nullopt : std::optional{found->second};
}

lpm_table::match lpm_table::longest(wire::ipv6_address const& bits) const {
  lpm_entry entry{root_[index_at(bits, 0)]};
  for (unsigned level = 1; entry.is_group(); ++level) {
    entry = lpm_entry{groups_[std::size_t{entry.index()} * lpm_ref::group_size + index_at(bits, level)]};
  }
  return {entry.index(), entry.length()};
}

void lpm_table::commit() {
  groups_.commit();
  root_.commit();
  settled_.insert(settled_.end(), left_.begin(), left_.end());
  left_.clear();
}

void lpm_table::reclaim() {
  auto const end = settled_.begin() + static_cast<std::ptrdiff_t>(std::min(marked_, settled_.size()));
  free_.insert(free_.end(), settled_.begin(), end);
  settled_.erase(settled_.begin(), end);
  marked_ = ~std::size_t{0};
}

void lpm_table::abandon() {
  root_.abandon();
  groups_.abandon();
}

}  // namespace packetwarp
