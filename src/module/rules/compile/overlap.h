// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_set>
#include <vector>

#include "function/rules/rules_table.h"

namespace packetwarp::flow {

// Answers whether a rule could match a packet that one of the rules added before matches too. It never misses one; of
// rules with ranges it may name more, for it takes a range as any value.
//
// Rules that match the same bits of the same headers have a shape. Rules of two shapes meet when they agree on the bits
// that both match, so for each pair of shapes these bits are kept of every rule: an answer takes a look-up per shape,
// however many rules exist.
class overlap_index {
 public:
  // The adder's own number for a rule.
  using label = std::uint64_t;

  // all: every rule that will be added or asked about.
  explicit overlap_index(std::span<rules_input const> all);

  void add(rules_input const& rule, label under);
  [[nodiscard]] bool meets(rules_input const& rule, label under) const;

  [[nodiscard]] std::size_t shapes() const { return shapes_.size(); }

 private:
  struct shape {
    std::uint32_t facts_mask{};
    std::uint32_t facts{};
    std::map<std::uint32_t, std::uint32_t> masks;  // by header and offset
    friend auto operator<=>(shape const&, shape const&) = default;
  };
  using key = std::vector<std::uint64_t>;
  struct key_hash {
    std::size_t operator()(key const& of) const noexcept;
  };

  [[nodiscard]] static shape shape_of(rules_input const& rule);
  [[nodiscard]] static bool exclude_each_other(shape const& a, shape const& b);
  // A rule's bits that `other` matches too, after the asking rule, the answering one, and the label.
  [[nodiscard]] static key key_of(std::size_t asks, std::size_t answers, label under, rules_input const& rule,
                                  shape const& other);

  std::map<shape, std::size_t> numbers_;
  std::vector<shape> shapes_;
  std::unordered_set<key, key_hash> seen_;
};

}  // namespace packetwarp::flow
