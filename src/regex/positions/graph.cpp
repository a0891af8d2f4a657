// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "regex/positions/graph.h"

#include <algorithm>

#include "regex/refusal.h"

namespace packetwarp::regex {
namespace {

// How much a part takes when it is written out.
struct extent {
  std::uint64_t bytes{};
  std::uint64_t nodes{};  // of all kinds; at least 1, so that repeating nothing is bounded, too
};

class writer {
 public:
  explicit writer(syntax_tree tree) : tree_{std::move(tree)} {}

  [[nodiscard]] graph write() {
    auto const whole = measure(tree_.root);
    if (whole.bytes > most_written_out || whole.nodes > most_nodes) throw refused{refusal::expanded_size};
    auto const any = tree_.add_set(~byte_set{});
    made_.nodes.push_back({.kind = graph_kind::match});
    made_.start = write(tree_.root, 0);
    if (!tree_.is_anchored) {
      auto const search = add({.kind = graph_kind::split, .other = made_.start});
      made_.nodes[search].next = add({.kind = graph_kind::bytes, .set = any, .next = search});
      made_.start = search;
    }
    made_.sets = std::move(tree_.sets);
    return std::move(made_);
  }

 private:
  static constexpr std::uint64_t too_many = std::uint64_t{1} << 20;

  [[nodiscard]] extent measure(std::uint32_t number) const {
    auto const& node = tree_.nodes[number];
    extent made{node.kind == syntax_kind::bytes ? 1U : 0U, 1};
    for (auto const child : node.children) {
      auto const part = measure(child);
      made.bytes += part.bytes;
      made.nodes += part.nodes + 1;
    }
    if (node.kind == syntax_kind::repetition) {
      // Without an upper bound the last copy repeats.
      std::uint64_t const copies = node.most == unbounded ? std::max(node.least, 1U) : node.most;
      made.bytes *= copies;
      made.nodes = made.nodes * copies + 1;
    }
    return {std::min(made.bytes, too_many), std::min(made.nodes, too_many)};
  }

  std::uint32_t add(graph_node const& made) {
    made_.nodes.push_back(made);
    return static_cast<std::uint32_t>(made_.nodes.size() - 1);
  }

  // Writes the part before `next`, from its end to its begin; returns where it begins.
  [[nodiscard]] std::uint32_t write(std::uint32_t number, std::uint32_t next) {
    auto const& node = tree_.nodes[number];
    switch (node.kind) {
      case syntax_kind::empty:
        break;
      case syntax_kind::bytes:
        return add({.kind = graph_kind::bytes, .set = node.set, .next = next});
      case syntax_kind::place:
        return add({.kind = graph_kind::place, .place = node.place, .next = next});
      case syntax_kind::sequence:
        std::for_each(node.children.rbegin(), node.children.rend(), [&](auto child) { next = write(child, next); });
        break;
      case syntax_kind::choice:
        return write_choice(node, next);
      case syntax_kind::repetition:
        return write_repetition(node, next);
    }
    return next;
  }

  [[nodiscard]] std::uint32_t write_choice(syntax_node const& node, std::uint32_t next) {
    auto made = write(node.children.back(), next);
    for (auto i = node.children.size() - 1; i-- > 0;) {
      auto const branch = write(node.children[i], next);
      made = add({.kind = graph_kind::split, .next = branch, .other = made});
    }
    return made;
  }

  // PCRE2 ends a repetition after a pass that took no byte. A pass of this kind could only add conditions, so that the
  // rule changes no answer.
  [[nodiscard]] std::uint32_t write_repetition(syntax_node const& node, std::uint32_t next) {
    auto const part = node.children[0];
    auto made = next;
    auto mandatory = node.least;
    if (node.most == unbounded) {
      auto const again = add({.kind = graph_kind::split, .other = next});
      auto const begin = write(part, again);
      made_.nodes[again].next = begin;
      made = mandatory == 0 ? again : begin;
      mandatory -= mandatory == 0 ? 0 : 1;
    } else {
      for (auto i = node.least; i < node.most; ++i) {
        auto const begin = write(part, made);
        made = add({.kind = graph_kind::split, .next = begin, .other = next});
      }
    }
    for (std::uint32_t i = 0; i < mandatory; ++i) made = write(part, made);
    return made;
  }

  syntax_tree tree_;
  graph made_{};
};

}  // namespace

graph write_out(syntax_tree tree) { return writer{std::move(tree)}.write(); }

}  // namespace packetwarp::regex
