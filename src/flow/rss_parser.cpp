// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "flow/rss_parser.h"

#include <fmt/format.h>

#include <algorithm>

#include "flow/grammar.h"
#include "flow/value_text.h"

namespace packetwarp::flow {
namespace {

rss_function take_function(lexer& in) {
  auto const word = in.take();
  auto const known = rss_functions();
  auto const found = std::find(known.begin(), known.end(), word.text);
  if (found == known.end()) in.fail(word, "hash function", "one of " + to_list(known));
  return static_cast<rss_function>(found - known.begin());
}

std::uint32_t take_number_up_to(lexer& in, std::string_view what, std::uint32_t largest) {
  auto const word = in.take();
  auto const number = parse_number(word.text);
  if (!number || *number > largest) in.fail(word, what, fmt::format("a number from 0 to {}", largest));
  return static_cast<std::uint32_t>(*number);
}

std::vector<std::uint8_t> take_types(lexer& in) {
  std::vector<std::uint8_t> made;
  while (!in.accept("end")) {
    auto const word = in.take();
    auto const known = rss_types();
    auto const found =
        std::find_if(known.begin(), known.end(), [&](rss_type const& one) { return one.name == word.text; });
    if (found == known.end()) in.fail(word, "hash type", "one such as ip, udp, tcp, ipv4-udp, l3-src-only, or end");
    made.push_back(static_cast<std::uint8_t>(found - known.begin()));
  }
  return made;
}

std::vector<std::uint16_t> take_queues(lexer& in) {
  std::vector<std::uint16_t> made;
  while (!in.accept("end")) {
    if (made.size() == most_rss_queues) in.fail(in.next(), {}, fmt::format("end: {} queues at most", most_rss_queues));
    made.push_back(static_cast<std::uint16_t>(take_number_up_to(in, "queue", 0xffff)));
  }
  return made;
}

// Hexadecimal digits; if their number is odd, the first is a byte of its own.
std::vector<std::byte> take_key(lexer& in) {
  auto const word = in.take();
  auto digits = word.text;
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  std::vector<std::byte> made;
  auto const is_digit = [](char c) {
    return std::string_view{"0123456789abcdefABCDEF"}.find(c) != std::string_view::npos;
  };
  if (digits.empty() || digits.size() > 2 * longest_rss_key || !std::all_of(digits.begin(), digits.end(), is_digit)) {
    in.fail(word, "hash key", fmt::format("1 to {} hexadecimal digits", 2 * longest_rss_key));
  }
  for (std::size_t length = digits.size() % 2 == 0 ? 2 : 1; !digits.empty(); length = 2) {
    made.push_back(static_cast<std::byte>(std::stoi(std::string{digits.substr(0, length)}, nullptr, 16)));
    digits.remove_prefix(length);
  }
  return made;
}

}  // namespace

rss_options take_rss_options(lexer& in) {
  rss_options made;
  while (!in.accept("/")) {
    auto const word = in.take();
    if (word.text == "func") {
      made.function = take_function(in);
    } else if (word.text == "level") {
      made.level = take_number_up_to(in, "level", 0xffff'ffff);
    } else if (word.text == "types") {
      made.types = take_types(in);
    } else if (word.text == "key") {
      made.key = take_key(in);
      made.key_length.reset();
    } else if (word.text == "key_len") {
      made.key_length = take_number_up_to(in, "key length", longest_rss_key);
    } else if (word.text == "queues") {
      made.queues = take_queues(in);
    } else {
      in.fail(word, "field of rss", "one of func, level, types, key, key_len, queues, /");
    }
  }
  return made;
}

}  // namespace packetwarp::flow
