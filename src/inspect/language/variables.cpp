// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/language/variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "inspect/language/source_text.h"
#include "wire/address_text.h"

namespace packetwarp::inspect {
namespace {

constexpr int deepest = 16;  // lists within lists, and values of variables

[[nodiscard]] std::optional<unsigned> number_in(std::string_view text, unsigned most) {
  unsigned value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value > most) return std::nullopt;
  return value;
}

template <class Number>
[[nodiscard]] interval<Number> prefix_of(Number address, unsigned bits) {
  constexpr auto width = static_cast<unsigned>(8 * sizeof(Number));
  Number const hosts = bits == 0       ? static_cast<Number>(~Number{0})
                       : bits == width ? Number{0}
                                       : static_cast<Number>((Number{1} << (width - bits)) - 1);
  return {static_cast<Number>(address & static_cast<Number>(~hosts)), static_cast<Number>(address | hosts)};
}

[[noreturn]] void refuse_address(std::string_view text) {
  throw group_error{text,
                    fmt::format("{} is no address; give 'any', an IPv4 or IPv6 address, a prefix such as 10.0.0.0/8, "
                                "a range such as 10.0.0.1-10.0.0.9, a $VARIABLE, or a list [A,B,!C] of these",
                                in_quotation(text))};
}

// Parses one address; `make` gets both ends' numbers of the family.
[[nodiscard]] address_set one_address(std::string_view text) {
  using ipv4 = interval_set<std::uint32_t>;
  using ipv6 = interval_set<uint128>;
  auto const slash = text.find('/');
  auto const dash = text.find('-');
  auto const first = trimmed(text.substr(0, std::min(slash, dash)));
  auto const second = slash != text.npos  ? trimmed(text.substr(slash + 1))
                      : dash != text.npos ? trimmed(text.substr(dash + 1))
                                          : first;
  if (auto const v4 = wire::parse_ipv4(first)) {
    if (slash != text.npos) {
      auto const bits = number_in(second, 32);
      auto const mask = wire::parse_ipv4(second);
      if (!bits && !mask) refuse_address(text);
      auto const length = bits ? *bits : static_cast<unsigned>(__builtin_popcount(mask->number));
      if (mask && prefix_of(mask->number, length).first != mask->number) {
        throw group_error{second, fmt::format("{} is no netmask: its ones come before its zeroes, as in 255.255.0.0",
                                              in_quotation(second))};
      }
      auto const range = prefix_of(v4->number, length);
      return {ipv4::of(range.first, range.last), {}};
    }
    auto const last = wire::parse_ipv4(second);
    if (!last || last->number < v4->number) refuse_address(text);
    return {ipv4::of(v4->number, last->number), {}};
  }
  auto const v6 = wire::parse_ipv6(first);
  if (!v6) refuse_address(text);
  if (slash != text.npos) {
    auto const bits = number_in(second, 128);
    if (!bits) refuse_address(text);
    auto const range = prefix_of(number_of(*v6), *bits);
    return {{}, ipv6::of(range.first, range.last)};
  }
  auto const last = wire::parse_ipv6(second);
  if (!last || number_of(*last) < number_of(*v6)) refuse_address(text);
  return {{}, ipv6::of(number_of(*v6), number_of(*last))};
}

[[nodiscard]] port_set one_port(std::string_view text) {
  auto const refuse = [&] {
    throw group_error{text,
                      fmt::format("{} is no port; give 'any', 0 to 65535, a range such as 1024:, :1023 or 80:90, a "
                                  "$VARIABLE, or a list [A,B,!C] of these",
                                  in_quotation(text))};
  };
  auto const colon = text.find(':');
  auto const low = trimmed(text.substr(0, colon));
  auto const high = colon == text.npos ? low : trimmed(text.substr(colon + 1));
  if (low.empty() && high.empty()) refuse();
  auto const first = low.empty() ? std::optional{0U} : number_in(low, 65535);
  auto const last = high.empty() ? std::optional{65535U} : number_in(high, 65535);
  if (!first || !last || *last < *first) refuse();
  return port_set::of(static_cast<std::uint16_t>(*first), static_cast<std::uint16_t>(*last));
}

// The parts of a list, by commas outside of inner brackets.
[[nodiscard]] std::vector<std::string_view> parts_of(std::string_view list) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < list.size(); ++at) {
    if (list[at] == '[') ++depth;
    if (list[at] == ']') --depth;
    if (list[at] != ',' || depth != 0) continue;
    parts.push_back(trimmed(list.substr(begin, at - begin)));
    begin = at + 1;
  }
  parts.push_back(trimmed(list.substr(begin)));
  return parts;
}

// All numbers of the sets. Pairs of them, then pairs of pairs: a list of many costs little more than to sort it.
template <class Set>
[[nodiscard]] Set joined(std::vector<Set> sets) {
  for (std::size_t step = 1; step < sets.size(); step *= 2) {
    for (std::size_t at = 0; at + step < sets.size(); at += 2 * step) sets[at].add(sets[at + step]);
  }
  return sets.empty() ? Set{} : std::move(sets.front());
}

// A group has positive and negated parts, and means the former without the latter. As in Suricata, lists within lists
// and values of variables add to the parts of the group around them, so that [10.0.0.0/8,[!10.0.0.1,10.0.0.2]] is
// without 10.0.0.1; after a ! they are a group of their own.
template <class Set>
class group_reader {
 public:
  group_reader(variables const& known, Set (*one)(std::string_view)) : known_{known}, one_{one} {}

  [[nodiscard]] Set read(std::string_view text) const { return read_group(text, 0); }

 private:
  struct parts {
    std::vector<Set> with;
    std::vector<Set> without;
  };

  [[nodiscard]] Set read_group(std::string_view text, int depth) const {
    parts of;
    read_into(of, text, depth);
    auto made = joined(std::move(of.with));
    auto const without = joined(std::move(of.without));
    made.fill_for(without);
    made.subtract(without);
    if (made.is_empty())
      throw group_error{text, fmt::format("{} leaves nothing", in_quotation(text)), group_fault::nothing_left};
    return made;
  }

  void read_into(parts& of, std::string_view text, int depth) const {
    if (depth > deepest)
      throw group_error{text, fmt::format("{}: more than {} lists within each other", in_quotation(text), deepest)};
    if (text.empty()) throw group_error{text, "nothing is given; 'any' means everything"};
    if (text.front() == '[') {
      if (text.size() < 2 || text.back() != ']')
        throw group_error{text, fmt::format("{}: a list ends with ]", in_quotation(text))};
      read_list(of, text, text.substr(1, text.size() - 2), depth);
    } else if (parts_of(text).size() > 1) {
      read_list(of, text, text, depth);
    } else if (text.front() == '!') {
      of.without.push_back(read_group(trimmed(text.substr(1)), depth + 1));
    } else if (text.front() == '$') {
      read_variable(of, text, depth);
    } else {
      of.with.push_back(is_word(text, "any") ? Set::all() : one_(text));
    }
  }

  void read_list(parts& of, std::string_view text, std::string_view list, int depth) const {
    auto items = parts_of(list);
    if (items.size() > 1 && items.back().empty()) items.pop_back();  // [A,B,]
    for (auto const item : items) {
      if (item.empty()) throw group_error{text, fmt::format("{}: a part of the list is empty", in_quotation(text))};
      read_into(of, item, depth + 1);
    }
  }

  void read_variable(parts& of, std::string_view text, int depth) const {
    auto const* value = known_.find(text.substr(1));
    if (value == nullptr) {
      throw group_error{text, fmt::format("{} has no value; give one by --var NAME=VALUE, or in a network's file by "
                                          "inspect.variables; known are {}",
                                          in_quotation(text), known_.names())};
    }
    try {
      read_into(of, trimmed(*value), depth + 1);
    } catch (group_error const& error) {
      throw group_error{text, fmt::format("{}: {}", in_quotation(text), error.message), error.fault};
    }
  }

  variables const& known_;
  Set (*one_)(std::string_view);
};

}  // namespace

variables::variables()
    : values_{{"HOME_NET", "[192.168.0.0/16,10.0.0.0/8,172.16.0.0/12]"},
              {"EXTERNAL_NET", "!$HOME_NET"},
              {"HTTP_SERVERS", "$HOME_NET"},
              {"SMTP_SERVERS", "$HOME_NET"},
              {"SQL_SERVERS", "$HOME_NET"},
              {"DNS_SERVERS", "$HOME_NET"},
              {"TELNET_SERVERS", "$HOME_NET"},
              {"AIM_SERVERS", "$EXTERNAL_NET"},
              {"DC_SERVERS", "$HOME_NET"},
              {"DNP3_SERVER", "$HOME_NET"},
              {"DNP3_CLIENT", "$HOME_NET"},
              {"MODBUS_CLIENT", "$HOME_NET"},
              {"MODBUS_SERVER", "$HOME_NET"},
              {"ENIP_CLIENT", "$HOME_NET"},
              {"ENIP_SERVER", "$HOME_NET"},
              {"HTTP_PORTS", "80"},
              {"SHELLCODE_PORTS", "!80"},
              {"ORACLE_PORTS", "1521"},
              {"SSH_PORTS", "22"},
              {"DNP3_PORTS", "20000"},
              {"MODBUS_PORTS", "502"},
              {"FILE_DATA_PORTS", "[$HTTP_PORTS,110,143]"},
              {"FTP_PORTS", "21"},
              {"GENEVE_PORTS", "6081"},
              {"VXLAN_PORTS", "4789"},
              {"TEREDO_PORTS", "3544"},
              {"SIP_PORTS", "[5060,5061]"}} {}

void variables::set(std::string name, std::string value) {
  bool const is_name = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (!is_name) {
    throw usage_error(fmt::format("--var {}: give NAME=VALUE; a name has letters, digits and '_'", in_quotation(name)));
  }
  values_.insert_or_assign(std::move(name), std::move(value));
}

std::string const* variables::find(std::string_view name) const {
  auto const found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

std::string variables::names() const {
  std::string text;
  for (auto const& [name, value] : values_) text += (text.empty() ? "" : ", ") + name;
  return text;
}

address_set parse_addresses(std::string_view text, variables const& known) {
  return group_reader<address_set>{known, one_address}.read(text);
}
port_set parse_ports(std::string_view text, variables const& known) {
  return group_reader<port_set>{known, one_port}.read(text);
}

bool has_negation(std::string_view text, variables const& known) {
  if (text.find('!') != text.npos) return true;
  constexpr std::string_view ends = ",[] \t";
  for (auto at = text.find('$'); at != text.npos; at = text.find('$', at + 1)) {
    auto const end = std::min(text.find_first_of(ends, at), text.size());
    auto const* value = known.find(text.substr(at + 1, end - at - 1));
    if (value != nullptr && has_negation(*value, known)) return true;
  }
  return false;
}

}  // namespace packetwarp::inspect
