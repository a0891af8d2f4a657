// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "regex/syntax/parser.h"

#include <optional>

#include "regex/syntax/class_parser.h"
#include "regex/syntax/escape_parser.h"
#include "regex/syntax/group_begin.h"
#include "regex/syntax/pattern_reader.h"

namespace packetwarp::regex {
namespace {

// An item of a sequence.
struct item {
  std::uint32_t node;
  bool can_be_repeated;
};

class parser {
 public:
  parser(std::string_view pattern, std::string_view modifiers) : from_{pattern} {
    for (char const modifier : modifiers) read_modifier(modifier);
  }

  [[nodiscard]] syntax_tree read() {
    tree_.root = read_choice(first_modes_);
    if (!from_.is_at_end()) throw refused{refusal::not_an_expression};  // a ) without its (
    // PCRE2 takes these for sets without a common byte, so that a repetition of the first before the second
    // gives nothing back, though 0x85 and 0xa0 are in both.
    if (has_no_space_ && has_blank_) throw refused{refusal::no_space_beside_blank};
    return std::move(tree_);
  }

 private:
  void read_modifier(char modifier) {
    switch (modifier) {
      case 'i':
        first_modes_.is_caseless = true;
        break;
      case 's':
        first_modes_.dot_is_all = true;
        break;
      case 'm':
        first_modes_.is_multiline = true;
        break;
      case 'x':
        first_modes_.is_extended = true;
        break;
      case 'A':
        tree_.is_anchored = true;
        break;
      case 'E':
        dollar_is_end_ = true;
        break;
      case 'G':
        break;
      default:
        throw refused{refusal::modifier};
    }
  }

  // Branches up to the group's ) or the end. An option that is set in one holds in those after it, too.
  [[nodiscard]] std::uint32_t read_choice(modes now) {
    syntax_node made{.kind = syntax_kind::choice};
    do {
      made.children.push_back(read_sequence(now));
    } while (!from_.is_quoted() && from_.skip_if("|"));
    return made.children.size() == 1 ? made.children[0] : tree_.add(std::move(made));
  }

  [[nodiscard]] std::uint32_t read_sequence(modes& now) {
    syntax_node made{.kind = syntax_kind::sequence};
    while (true) {
      from_.skip_ignored(now);
      bool const is_over = !from_.is_quoted() && (from_.peek() == '|' || from_.peek() == ')');
      if (from_.is_at_end() || is_over) return tree_.add(std::move(made));
      auto const one = read_item(now);
      made.children.push_back(read_quantifier(one, now));
    }
  }

  [[nodiscard]] item read_item(modes& now) {
    if (from_.is_quoted()) return literal(from_.take(), now);
    if (repetition_at(from_)) throw refused{refusal::not_an_expression};  // of nothing
    auto const byte = from_.take();
    switch (byte) {
      case '\\':
        return read_escaped(now);
      case '[':
        if (from_.skip_if("[:<:]]")) return place(assertion::word_begin);
        if (from_.skip_if("[:>:]]")) return place(assertion::word_end);
        return bytes(read_class(from_, now));
      case '(':
        return read_group(now);
      case '.':
        return bytes(now.dot_is_all ? ~byte_set{} : ~one_byte('\n'));
      case '^':
        return place(now.is_multiline ? assertion::line_begin : assertion::text_begin);
      case '$':
        if (now.is_multiline) return place(assertion::line_end);
        return place(dollar_is_end_ ? assertion::text_end : assertion::end_or_last_newline);
      default:
        return literal(byte, now);
    }
  }

  [[nodiscard]] item read_escaped(modes const& now) {
    auto const read = read_escape(from_, escape_place::outside, groups_);
    if (read.kind == escape_kind::byte) return literal(read.byte, now);
    if (read.kind == escape_kind::set) {
      has_no_space_ = has_no_space_ || read.letter == 'S';
      has_blank_ = has_blank_ || read.letter == 'h' || read.letter == 'v';
      return bytes(read.set);
    }
    switch (read.letter) {
      case 'A':
        return place(assertion::text_begin);
      case 'b':
        return place(assertion::word_edge);
      case 'B':
        return place(assertion::no_word_edge);
      case 'z':
        return place(assertion::text_end);
      case 'Z':
        return place(assertion::end_or_last_newline);
      case 'N':
        if (from_.peek() == '{' && !repetition_at(from_)) throw refused{refusal::not_an_expression};
        return bytes(~one_byte('\n'));
      default:
        return nothing();  // \K moves where a match begins, which is not asked for
    }
  }

  [[nodiscard]] item read_group(modes& now) {
    auto const begun = read_group_begin(from_, now);
    if (begun.kind == group_kind::options) {
      now = begun.within;
      return nothing();
    }
    if (begun.kind == group_kind::captures) ++groups_;
    if (++depth_ > deepest_group) throw refused{refusal::deep_groups};
    auto const made = read_choice(begun.within);
    --depth_;
    if (from_.take() != ')') throw refused{refusal::not_an_expression};
    return {made, true};
  }

  // The item, repeated if a quantifier follows it.
  [[nodiscard]] std::uint32_t read_quantifier(item const& one, modes const& now) {
    from_.skip_ignored(now);
    if (from_.is_quoted()) return one.node;
    auto const times = repetition_at(from_);
    if (!times) return one.node;
    if (!one.can_be_repeated) refuse_repetition(one.node);
    // PCRE2 takes an expression for anchored because of a ^ in a later branch of such a group.
    if (times->most == 0 && tree_.nodes[one.node].kind != syntax_kind::bytes) throw refused{refusal::skipped_group};
    from_.skip(times->length);
    from_.skip_ignored(now);
    if (!from_.is_quoted() && from_.is_next("+")) throw refused{refusal::possessive_quantifier};
    if (!from_.is_quoted()) from_.skip_if("?");
    from_.skip_ignored(now);
    if (!from_.is_quoted() && repetition_at(from_)) throw refused{refusal::not_an_expression};
    return tree_.add(
        {.kind = syntax_kind::repetition, .least = times->least, .most = times->most, .children = {one.node}});
  }

  // PCRE2 takes the quantifier for that of the condition on the next or last byte that is a part of [[:<:]].
  [[noreturn]] void refuse_repetition(std::uint32_t node) const {
    auto const& one = tree_.nodes[node];
    bool const is_edge = one.place == assertion::word_begin || one.place == assertion::word_end;
    bool const is_known = one.kind == syntax_kind::place && is_edge;
    throw refused{is_known ? refusal::repeated_word_edge : refusal::not_an_expression};
  }

  [[nodiscard]] item bytes(byte_set const& set) {
    return {tree_.add({.kind = syntax_kind::bytes, .set = tree_.add_set(set)}), true};
  }
  [[nodiscard]] item literal(unsigned byte, modes const& now) {
    auto set = one_byte(byte);
    if (now.is_caseless) set.add_other_cases();
    return bytes(set);
  }
  [[nodiscard]] item place(assertion what) { return {tree_.add({.kind = syntax_kind::place, .place = what}), false}; }
  [[nodiscard]] item nothing() { return {tree_.add({.kind = syntax_kind::empty}), false}; }

  pattern_reader from_;
  syntax_tree tree_{};
  modes first_modes_{};
  bool dollar_is_end_{};
  bool has_no_space_{};  // \S
  bool has_blank_{};     // \h or \v
  std::uint32_t groups_{};
  unsigned depth_{};
};

}  // namespace

syntax_tree parse(std::string_view pattern, std::string_view modifiers) {
  if (pattern.size() > longest_pattern) throw refused{refusal::long_pattern};
  return parser{pattern, modifiers}.read();
}

}  // namespace packetwarp::regex
