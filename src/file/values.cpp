// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "file/values.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/units.h"

namespace packetwarp {

ip_address address_at(yaml_place const& place) {
  auto const text = place.text();
  if (auto const found = wire::parse_ipv4(text)) return *found;
  if (auto const found = wire::parse_ipv6(text)) return *found;
  place.refuse(fmt::format("'{}' is no IP address, such as 192.0.2.1 or 2001:db8::1", text));
}

wire::ipv4_address ipv4_at(yaml_place const& place) {
  auto const text = place.text();
  if (auto const found = wire::parse_ipv4(text)) return *found;
  place.refuse(fmt::format("'{}' is no IPv4 address, such as 192.0.2.1", text));
}

wire::mac_address mac_at(yaml_place const& place) {
  auto const text = place.text();
  if (auto const found = wire::parse_mac(text)) return *found;
  place.refuse(fmt::format("'{}' is no MAC address, such as 02:00:00:00:00:01", text));
}

wire::mac_address unicast_mac_at(yaml_place const& place) {
  auto const mac = mac_at(place);
  if (!mac.is_group() && mac.number() != 0) return mac;
  place.refuse(fmt::format("{} is no interface's; give an interface's: not 0, and no group's", wire::to_text(mac)));
}

ip_prefix prefix_at(yaml_place const& place) {
  auto const text = place.text();
  auto const slash = text.find('/');
  auto const address = text.substr(0, slash);
  unsigned length = 0;
  auto const ipv4 = wire::parse_ipv4(address);
  auto const ipv6 = wire::parse_ipv6(address);
  bool good = slash != std::string::npos && (ipv4 || ipv6);
  if (good) {
    auto const* const end = text.data() + text.size();
    auto const [behind, error] = std::from_chars(text.data() + slash + 1, end, length);
    good = error == std::errc{} && behind == end && length <= (ipv4 ? 32U : 128U);
  }
  if (!good) place.refuse(fmt::format("'{}' is no prefix, such as 192.0.2.0/24 or 2001:db8::/32", text));
  return {ipv4 ? ip_address{*ipv4} : ip_address{*ipv6}, length};
}

ip_prefix network_at(yaml_place const& place) {
  auto const prefix = prefix_at(place);
  auto const network = without_host_bits(prefix);
  if (network == prefix) return prefix;
  place.refuse(fmt::format("{} has bits set after its prefix; give {}, or {}/{} for the one host", to_text(prefix),
                           to_text(network), to_text(prefix.address), prefix.address.index() == 0 ? 32 : 128));
}

std::chrono::nanoseconds duration_at(yaml_place const& place, std::chrono::nanoseconds most) {
  auto const longest = format_duration(static_cast<double>(most.count()));
  try {
    auto const time = parse_duration(place.text(), place.path());
    if (time <= most) return time;
  } catch (usage_error const&) {
    // The error is reported below, with its place.
  }
  place.refuse(
      fmt::format("'{}' is no time up to {}; give a number with ns, us, ms or s, such as 1ms", place.text(), longest));
}

std::uint32_t seconds_at(yaml_place const& place, std::uint32_t least, std::uint32_t most) {
  auto const text = place.text();
  bool const is_bare =
      !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  try {
    auto const time = parse_duration(is_bare ? text + "s" : text, place.path());
    auto const whole = std::chrono::duration_cast<std::chrono::seconds>(time);
    bool const is_allowed = whole.count() >= least && whole.count() <= most;
    if (is_allowed && whole == time) return static_cast<std::uint32_t>(whole.count());
  } catch (usage_error const&) {
    // The error is reported below, with its place.
  }
  place.refuse(
      fmt::format("'{}' is no whole number of seconds from {} to {}; give a number with s, m or h, such as 5m, or of "
                  "seconds",
                  text, least, most));
}

std::size_t size_at(yaml_place const& place, std::size_t least, std::size_t most, std::string_view range) {
  auto const text = place.text();
  std::size_t bytes = 0;
  try {
    bytes = parse_size(text, place.path());
  } catch (usage_error const&) {
    // The error is reported below, with its place.
  }
  if (bytes < least || bytes > most) place.refuse(fmt::format("'{}' is no size from {}", text, range));
  return bytes;
}

namespace {

// Sets errno.
[[nodiscard]] bool may_be_written(std::string const& file) {
  if (::access(file.c_str(), W_OK) == 0) return true;
  auto const folder = std::filesystem::path{file}.parent_path();
  return errno == ENOENT && ::access(folder.empty() ? "." : folder.c_str(), W_OK) == 0;
}

}  // namespace

std::string written_file_at(yaml_place const& place) {
  auto made = place.name();
  if (std::error_code ignored; std::filesystem::is_directory(made, ignored)) {
    place.refuse(fmt::format("'{}' is a folder; give a file", made));
  }
  if (!may_be_written(made)) {
    place.refuse(
        fmt::format("'{}' cannot be written: {}; give a file in a folder that can", made, std::strerror(errno)));
  }
  return made;
}

std::size_t log_room_at(yaml_place const& place) {
  return size_at(place, std::size_t{64} << 10, std::size_t{1} << 30, "64k to 1g");
}

}  // namespace packetwarp
