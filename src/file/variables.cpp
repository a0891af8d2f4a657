// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "file/variables.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <type_traits>
#include <variant>

#include "address/ip_address.h"
#include "address/ip_prefix.h"
#include "base/error.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool const is_whole = error == std::errc{} && end == text.data() + text.size();
  return is_whole && value <= 0xffff'ffff ? std::optional{value} : std::nullopt;
}

[[nodiscard]] bool is_name(std::string_view text) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
  constexpr std::string_view all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  return !text.empty() && letters.find(text.front()) != letters.npos && text.find_first_not_of(all) == text.npos;
}

// A StatefulSet names its pods NAME-0, NAME-1, ...
[[nodiscard]] std::uint64_t ordinal_of(std::string const& pod) {
  auto const dash = pod.rfind('-');
  auto const number = dash == pod.npos ? std::nullopt : number_of(std::string_view{pod}.substr(dash + 1));
  if (number) return *number;
  throw usage_error(fmt::format(
      "the pod's name '{}' ends in no ordinal, as name-3 does: run it in a StatefulSet, or set POD_NAME", pod));
}

[[nodiscard]] std::optional<ip_prefix> prefix_of(std::string_view text) {
  auto const slash = text.find('/');
  auto const length = slash == text.npos ? std::nullopt : number_of(text.substr(slash + 1));
  auto const ipv4 = wire::parse_ipv4(text.substr(0, slash));
  auto const ipv6 = wire::parse_ipv6(text.substr(0, slash));
  if (!length || (!ipv4 && !ipv6)) return std::nullopt;
  ip_prefix made{.address = ipv4 ? ip_address{*ipv4} : ip_address{*ipv6}, .length = static_cast<unsigned>(*length)};
  if (*length > bits_of(made.address) || without_host_bits(made) != made) return std::nullopt;
  return made;
}

// The address `number` blocks of this length after the beginning of the prefix.
[[nodiscard]] ip_address address_of_block(ip_address const& start, unsigned length, std::uint64_t number) {
  auto const shift = bits_of(start) - length;
  if (auto const* const ipv4 = std::get_if<wire::ipv4_address>(&start)) {
    return wire::ipv4_address{static_cast<std::uint32_t>(ipv4->number + (shift < 32 ? number << shift : 0))};
  }
  auto made = std::get<wire::ipv6_address>(start);
  if (shift >= 64) {
    made.high += shift < 128 ? number << (shift - 64) : 0;
  } else {
    made.low |= number << shift;
    made.high |= shift > 32 ? number >> (64 - shift) : 0;
  }
  return made;
}

// "/26 of 203.0.113.0/24"
[[nodiscard]] std::string block_of(std::string_view words, std::uint64_t ordinal) {
  constexpr std::string_view between = " of ";
  auto const at = words.find(between);
  auto const length = words.starts_with('/') && at != words.npos ? number_of(words.substr(1, at - 1)) : std::nullopt;
  auto const whole = length ? prefix_of(words.substr(at + between.size())) : std::nullopt;
  if (!whole || *length < whole->length || *length > bits_of(whole->address)) {
    throw usage_error(fmt::format(
        "'block {}': a block is '/LENGTH of PREFIX', and no longer than its prefix, as in block /26 of 203.0.113.0/24",
        words));
  }
  auto const more = static_cast<unsigned>(*length) - whole->length;
  if (more < 64 && ordinal >> more != 0) {
    throw usage_error(
        fmt::format("{} has {} blocks of /{}, and the pod's ordinal is {}: give a wider prefix or smaller "
                    "blocks, or set spec.replicas to {} or less",
                    to_text(*whole), std::uint64_t{1} << more, *length, ordinal, std::uint64_t{1} << more));
  }
  return to_text(ip_prefix{.address = address_of_block(whole->address, static_cast<unsigned>(*length), ordinal),
                           .length = static_cast<unsigned>(*length)});
}

[[nodiscard]] std::string value_of(std::string_view words, variable_source const& from) {
  constexpr std::string_view ordinal = "ordinal", block = "block ", otherwise = ":-";
  if (words == ordinal) return std::to_string(ordinal_of(from.pod));
  if (words.starts_with("ordinal+")) {
    if (auto const more = number_of(words.substr(ordinal.size() + 1))) {
      return std::to_string(ordinal_of(from.pod) + *more);
    }
  }
  if (words.starts_with(block)) return block_of(words.substr(block.size()), ordinal_of(from.pod));
  auto const end = words.find(otherwise);
  std::string const name{words.substr(0, end)};
  if (!is_name(name)) {
    throw usage_error(
        fmt::format("'${{{}}}' is no variable; there are ${{NAME}}, ${{NAME:-TEXT}}, ${{ordinal}}, "
                    "${{ordinal+N}} and ${{block /LENGTH of PREFIX}}; $${{ stands for ${{ itself",
                    words));
  }
  // The variable ends at the first brace, which would be the one of a variable within it.
  if (end != words.npos && words.find("${", end) != words.npos) {
    throw usage_error(
        fmt::format("'${{{}}}': a default is plain text, without variables; set {} instead", words, name));
  }
  auto const value = from.environment(name);
  if (end != words.npos && (!value || value->empty())) return std::string{words.substr(end + otherwise.size())};
  if (value) return *value;
  throw usage_error(
      fmt::format("the environment variable {0} is not set: set it (in a pod under 'env' of the "
                  "container), or give a default, ${{{0}:-TEXT}}",
                  name));
}

}  // namespace

std::optional<std::string> environment_variable(std::string const& name) {
  auto const* const value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>{value};
}

variable_source variables_of_process() {
  variable_source made{.environment = environment_variable, .pod = environment_variable("POD_NAME").value_or("")};
  if (!made.pod.empty()) return made;
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) == 0) made.pod = name.data();
  return made;
}

std::string expand_variables(std::string_view text, variable_source const& from) {
  std::string made;
  while (true) {
    auto const at = text.find("${");
    made += text.substr(0, at);
    if (at == text.npos) return made;
    if (at > 0 && text[at - 1] == '$') {
      made += '{';  // in place of the second `$`
      text.remove_prefix(at + 2);
      continue;
    }
    auto const end = text.find('}', at);
    if (end == text.npos) throw usage_error(fmt::format("'{}': no '}}' ends the variable", text.substr(at)));
    made += value_of(text.substr(at + 2, end - at - 2), from);
    text.remove_prefix(end + 1);
  }
}

}  // namespace packetwarp
