// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/queue_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace packetwarp::rdma {
namespace {

// The bytes before the zeroes at the end.
[[nodiscard]] std::string_view without_zeroes(std::string_view text) { return text.substr(0, text.find('\0')); }

// Takes the digits before the next colon off the text.
template <class T>
[[nodiscard]] bool take_number(std::string_view& text, T most, T& into) {
  auto const colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  auto const digits = text.substr(0, colon);
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), into, 16);
  text.remove_prefix(colon + 1);
  return error == std::errc{} && end == digits.data() + digits.size() && into <= most;
}

}  // namespace

std::array<char, queue_key::text_bytes> to_text(queue_key const& key) {
  auto text =
      fmt::format("{:04x}:{:04x}:{:06x}:{:06x}:{:08x}:{:016x}:", 0, 1, key.number, key.psn, key.rkey, key.address);
  for (auto const byte : key.gid) text += fmt::format("{:02x}:", byte);
  text += fmt::format("{:08x}:", 0);
  std::array<char, queue_key::text_bytes> made{};
  std::copy_n(text.begin(), std::min(text.size(), made.size() - 1), made.begin());
  return made;
}

std::optional<queue_key> parse_queue_key(std::string_view text) {
  text = without_zeroes(text);
  constexpr std::uint32_t any = 0xffff'ffff, most = 0xff'ffff;
  queue_key found;
  std::uint32_t lid = 0, reads = 0, shared_queue = 0;
  if (!take_number(text, any, lid) || !take_number(text, any, reads) || !take_number(text, most, found.number) ||
      !take_number(text, most, found.psn) || !take_number(text, any, found.rkey) ||
      !take_number(text, ~std::uint64_t{0}, found.address))
    return {};
  for (auto& byte : found.gid) {
    std::uint32_t value = 0;
    if (!take_number(text, std::uint32_t{0xff}, value)) return {};
    byte = static_cast<std::uint8_t>(value);
  }
  if (!take_number(text, any, shared_queue)) return {};
  return found;
}

std::array<std::uint8_t, 16> gid_of(wire::ipv4_address address) {
  std::array<std::uint8_t, 16> made{};
  made[10] = made[11] = 0xff;
  for (unsigned i = 0; i < 4; ++i) made[12 + i] = static_cast<std::uint8_t>(address.number >> (24 - 8 * i));
  return made;
}

std::optional<wire::ipv4_address> ipv4_of(std::array<std::uint8_t, 16> const& gid) {
  wire::ipv4_address const found{std::uint32_t{gid[12]} << 24 | std::uint32_t{gid[13]} << 16 |
                                 std::uint32_t{gid[14]} << 8 | gid[15]};
  if (gid != gid_of(found)) return {};
  return found;
}

std::string to_text(std::array<std::uint8_t, 16> const& gid) {
  std::string text;
  for (unsigned i = 0; i < 16; i += 2) text += fmt::format("{}{:02x}{:02x}", i == 0 ? "" : ":", gid[i], gid[i + 1]);
  return text;
}

std::optional<unsigned> parse_version(std::string_view text) {
  text = without_zeroes(text);
  auto const point = text.find('.');
  if (point == std::string_view::npos || text.size() - point != 3) return {};
  unsigned major = 0, minor = 0;
  auto const* const end = text.data() + text.size();
  if (auto const [at, error] = std::from_chars(text.data(), text.data() + point, major);
      error != std::errc{} || at != text.data() + point || major > 1000)
    return {};
  if (auto const [at, error] = std::from_chars(text.data() + point + 1, end, minor); error != std::errc{} || at != end)
    return {};
  return major * 100 + minor;
}

std::optional<std::uint32_t> parse_mtu_code(std::string_view text) {
  text = without_zeroes(text);
  if (text.size() != 1 || text[0] < '1' || text[0] > '5') return {};
  return std::uint32_t{128} << (text[0] - '0');
}

}  // namespace packetwarp::rdma
