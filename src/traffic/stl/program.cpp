// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/stl/program.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <cstdint>
#include <system_error>

#include "base/error.h"

namespace packetwarp::traffic::stl {
namespace {

using nlohmann::json;

constexpr std::size_t least_packet = 14, most_packet = 9596;

template <class T, std::size_t N>
T word_of(json const& from, std::pair<std::string_view, T> const (&all)[N]) {
  auto const text = from.get<std::string>();
  for (auto const& [word, value] : all) {
    if (text == word) return value;
  }
  throw failure(fmt::format("'{}' is unknown to this version", text));
}

std::vector<std::byte> bytes_of(std::string const& hex) {
  std::vector<std::byte> made;
  auto const digit = [](char c) -> unsigned {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    throw failure("a packet is not written in hexadecimal digits");
  };
  if (hex.size() % 2 != 0) throw failure("a packet is not written in pairs of hexadecimal digits");
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    made.push_back(static_cast<std::byte>(digit(hex[i]) << 4 | digit(hex[i + 1])));
  }
  if (made.size() < least_packet || made.size() > most_packet) throw failure("a packet's size is not one of a frame");
  return made;
}

variable variable_from(json const& from) {
  variable made{
      .name = from.at("name"),
      .how = word_of<progress>(
          from.at("op"),
          {{"inc", progress::inc}, {"dec", progress::dec}, {"random", progress::random}, {"tuple", progress::tuple}})};
  made.limit = from.value("limit", std::uint64_t{0});
  if (made.how == progress::tuple) {
    made.min = from.at("ip_min");
    made.max = from.at("ip_max");
    made.port_min = from.at("port_min");
    made.port_max = from.at("port_max");
    if (made.port_max < made.port_min) throw failure("a tuple's ports have no order");
  } else {
    made.step = from.at("step");
    if (from.contains("seed")) made.seed = from.at("seed").get<std::uint64_t>();
    if (from.contains("list")) {
      from.at("list").get_to(made.list);
      if (made.list.empty()) throw failure("a variable's list is empty");
      made.max = made.list.size() - 1;
      return made;
    }
    made.min = from.at("min");
    made.max = from.at("max");
    made.first = from.at("init");
  }
  if (made.max < made.min) throw failure("a variable's values have no order");
  return made;
}

action action_from(json const& from) {
  auto const what = from.at("do").get<std::string>();
  if (what == "fix_l4") {
    auto const& protocol = from.at("protocol");
    if (protocol.is_null()) return action::fix_ipv4;
    return word_of<action>(protocol, {{"udp", action::fix_udp}, {"tcp", action::fix_tcp}});
  }
  if (what == "write" && from.contains("mask")) return action::write_masked;
  return word_of<action>(from.at("do"),
                         {{"write", action::write}, {"fix_ipv4", action::fix_ipv4}, {"trim", action::trim}});
}

// A number within bounds; a conversion to a smaller type would hide an excess.
template <class T>
T number_within(json const& from, std::uint64_t least, std::uint64_t most) {
  if (!from.is_number_unsigned() || from < least || from > most) {
    throw failure(fmt::format("{} is not a number from {} to {}", from.dump(), least, most));
  }
  return from.get<T>();
}

step step_from(json const& from, std::size_t length) {
  step made{.what = action_from(from)};
  if (from.contains("variable")) made.variable = from.at("variable");
  if (made.what == action::trim) return made;
  made.at = number_within<std::uint16_t>(from.at("at"), 0, length);
  if (from.contains("l3_at")) {
    made.l3_at = number_within<std::uint16_t>(from.at("l3_at"), 0, made.at);
    if (made.what == action::fix_ipv4) made.at = made.l3_at;
  }
  std::size_t reach = 20;
  if (made.what == action::write || made.what == action::write_masked) {
    made.size = number_within<std::uint8_t>(from.at("size"), 1, 8);
    if (made.size != 1 && made.size != 2 && made.size != 4 && made.size != 8) throw failure("a write of odd size");
    reach = made.size;
    made.add = from.at("add");
    made.order = word_of<byte_order>(from.at("order"), {{"big", byte_order::big}, {"little", byte_order::little}});
    if (made.what == action::write_masked) {
      made.mask = from.at("mask");
      made.shift = from.at("shift");
      if (made.shift < -31 || made.shift > 31) throw failure("a shift by more than 31 bits");
    }
  }
  if (made.what == action::fix_udp) reach = 8;
  if (made.at + reach > length || made.l3_at + std::size_t{20} > length)
    throw failure("a step beyond the packet's end");
  return made;
}

shape shape_from(json const& from) {
  if (from.at("kind") == "continuous") return {};
  return {.is_continuous = false,
          .packets = number_within<std::uint64_t>(from.at("packets"), 1, UINT32_MAX),
          .bursts = number_within<std::uint64_t>(from.at("bursts"), 1, UINT32_MAX),
          .gap_us = from.at("gap_us")};
}

stream stream_from(json const& from, std::size_t streams) {
  using enum rate::unit;
  stream made{.name = from.at("name"),
              .packet = bytes_of(from.at("packet")),
              .when = shape_from(from.at("mode")),
              .how_fast = {.value = from.at("rate").at("value"),
                           .in = word_of<rate::unit>(from.at("rate").at("unit"), {{"pps", packets_per_second},
                                                                                  {"bps_l1", l1_bits_per_second},
                                                                                  {"bps_l2", l2_bits_per_second},
                                                                                  {"percent", line_percent}})},
              .starts_itself = from.at("self_start"),
              .gap_us = from.at("isg_us"),
              .most_rounds = from.at("action_count"),
              .seed = from.at("seed"),
              .is_dummy = from.at("is_dummy"),
              .has_fixed_rate = from.value("fixed_rate", false)};
  if (!(made.how_fast.value > 0)) throw failure("a stream's rate is not above 0");
  if (!from.at("next").is_null()) made.next = from.at("next").get<std::size_t>();
  if (made.next && *made.next >= streams) throw failure("a stream that comes next is not there");
  for (auto const& one : from.at("variables")) made.variables.push_back(variable_from(one));
  for (auto const& one : from.at("steps")) made.steps.push_back(step_from(one, made.packet.size()));
  return made;
}

// Only rates and gaps may have fractions: other numbers become integers, so they must be whole.
void require_whole_numbers(json const& from, std::string_view key = {}) {
  if (from.is_object()) {
    for (auto const& [name, value] : from.items()) require_whole_numbers(value, name);
  } else if (from.is_array()) {
    for (auto const& value : from) require_whole_numbers(value, key);
  } else if (from.is_number_float() && key != "value" && key != "gap_us" && key != "isg_us") {
    throw failure(fmt::format("{}: {} is no whole number", key, from.dump()));
  }
}

}  // namespace

program parse_program(std::string_view text) {
  try {
    auto const from = json::parse(text);
    require_whole_numbers(from);
    program made{.name = from.at("profile")};
    from.at("notices").get_to(made.notices);
    auto const& streams = from.at("streams");
    for (auto const& one : streams) made.streams.push_back(stream_from(one, streams.size()));
    if (made.streams.empty()) throw failure("there is no stream");
    return made;
  } catch (json::exception const& wrong) {
    throw failure(fmt::format("the profile's program cannot be read: {}", wrong.what()));
  } catch (failure const& wrong) {
    throw failure(fmt::format("the profile's program makes no sense: {}", wrong.what()));
  }
}

multiplier parse_multiplier(std::string_view text, std::string_view option) {
  constexpr std::string_view allowed = "a plain factor above 0, such as 2 or 0.5";
  if (text.find_first_not_of("0123456789.") != std::string_view::npos) {
    try {
      return {.to = parse_rate(text, option)};
    } catch (usage_error const& wrong) {
      throw usage_error(fmt::format("{}; or {}", wrong.what(), allowed));
    }
  }
  double factor = 0;
  auto const read = std::from_chars(text.data(), text.data() + text.size(), factor, std::chars_format::fixed);
  bool const is_number = read.ec == std::errc{} && read.ptr == text.data() + text.size();
  if (is_number && factor > 0) return {.to = std::nullopt, .factor = factor};
  throw usage_error(
      fmt::format("{}: '{}' is no factor; expected {}, or a rate, such as 10mpps or 50%", option, text, allowed));
}

}  // namespace packetwarp::traffic::stl
