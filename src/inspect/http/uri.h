// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "inspect/http/text.h"

namespace packetwarp::inspect {

// The parts of a request's target (RFC 9112, 3.2).
struct uri_parts {
  text_view host;  // of an absolute target: without user and port; absent without one
  text_view path;
  text_view rest;  // the query and the fragment, from the ? or # on
};

namespace detail {

// The byte that %XX or %uXXXX at `at` stands for, and the letters that it takes; 0 letters: it is malformed.
struct decoded_byte {
  char byte;
  std::uint32_t letters;
};

[[nodiscard]] HOST_DEVICE inline int hex_value(text_view text, std::uint32_t at, std::uint32_t digits) {
  int value = 0;
  for (std::uint32_t i = 0; i < digits; ++i) {
    int const digit = digit_of(static_cast<unsigned char>(letter_at(text, at + i)), 16);
    if (digit < 0) return -1;
    value = value << 4 | digit;
  }
  return value;
}

[[nodiscard]] HOST_DEVICE inline decoded_byte decode_percent(text_view text, std::uint32_t at) {
  if (auto const value = hex_value(text, at + 1, 2); value >= 0) return {static_cast<char>(value), 3};
  return {};
}

// %uXXXX of servers of Microsoft: the letter that is meant, or a question mark. Full-width forms mean ASCII.
[[nodiscard]] HOST_DEVICE inline decoded_byte decode_unicode(text_view text, std::uint32_t at) {
  constexpr int first_wide = 0xff01;
  constexpr int last_wide = 0xff5e;
  if (lower(letter_at(text, at + 1)) != 'u') return {};
  auto const value = hex_value(text, at + 2, 4);
  if (value < 0) return {};
  if (value <= 0xff) return {static_cast<char>(value), 6};
  bool const is_wide = value >= first_wide && value <= last_wide;
  return {is_wide ? static_cast<char>(value - first_wide + '!') : '?', 6};
}

// UTF-8 of an ASCII letter in more than one byte is overlong (RFC 3629, 3): a way around filters. Whether `last` is the
// last byte of one, returns how many bytes before it are of it; 0: it is not.
[[nodiscard]] HOST_DEVICE inline std::uint32_t overlong_before(text_view before, char last) {
  auto const byte = [&](std::uint32_t back) {
    return back <= before.size ? static_cast<unsigned>(before.bytes[before.size - back]) : 0U;
  };
  if ((static_cast<unsigned char>(last) & 0xc0U) != 0x80) return 0;
  auto const next = byte(1);
  if (next == 0xc0 || next == 0xc1) return 1;
  if (next != 0x80 && next != 0x81) return 0;
  if (byte(2) == 0xe0) return 2;
  return byte(2) == 0x80 && byte(3) == 0xf0 ? 3 : 0;
}

// Decodes a path; runs of separators become one /.
HOST_DEVICE inline void put_decoded_path(text_view path, text_writer& out) {
  auto const begin = out.size;
  for (std::uint32_t at = 0; at < path.size;) {
    decoded_byte made{letter_at(path, at), 1};
    if (made.byte == '%') {
      auto decoded = decode_unicode(path, at);
      if (decoded.letters == 0) decoded = decode_percent(path, at);
      if (decoded.letters != 0) made = decoded;
    }
    at += made.letters;
    if (auto const before = overlong_before(out.since(begin), made.byte); before != 0) {
      auto const high = static_cast<unsigned>(out.bytes[out.size - 1]) & 1U;
      made.byte = static_cast<char>(high << 6 | (static_cast<unsigned char>(made.byte) & 0x3fU));
      out.size -= before;
    }
    if (made.byte == '\\') made.byte = '/';
    bool const repeats = made.byte == '/' && out.size > begin && static_cast<char>(out.bytes[out.size - 1]) == '/';
    if (!repeats) out.put(made.byte);
  }
}

// Takes . and .. out of a path in place (RFC 3986, 5.2.4).
HOST_DEVICE inline void remove_dots(text_writer& out, std::uint32_t begin) {
  auto const text = out.since(begin);
  auto const letter = [&](std::uint32_t at) { return letter_at(text, at); };
  auto* const to = out.bytes + begin;
  std::uint32_t size = 0;
  std::uint32_t at = 0;
  while (at < text.size) {
    auto end = at;  // of the segment, without its /
    while (end < text.size && letter(end) != '/') ++end;
    auto const length = end - at;
    bool const is_dot = length == 1 && letter(at) == '.';
    bool const is_up = length == 2 && letter(at) == '.' && letter(at + 1) == '.';
    auto const next = end < text.size ? end + 1 : end;
    if (is_up) {
      if (size != 0) --size;  // the / before it
      while (size != 0 && static_cast<char>(to[size - 1]) != '/') --size;
      if (size == 0 && letter(0) == '/') to[size++] = static_cast<std::byte>('/');
    } else if (!is_dot) {
      for (auto from = at; from < next; ++from) to[size++] = text.bytes[from];
    }
    at = next;
  }
  out.size = begin + size;
}

}  // namespace detail

[[nodiscard]] HOST_DEVICE inline uri_parts split_uri(text_view uri) {
  using namespace detail;
  uri_parts made;
  std::uint32_t path = 0;
  for (std::uint32_t at = 0; at + 2 < uri.size && letter_at(uri, at) != '/'; ++at) {
    if (letter_at(uri, at) != ':' || letter_at(uri, at + 1) != '/' || letter_at(uri, at + 2) != '/') continue;
    auto begin = at + 3;
    path = begin;
    while (path < uri.size && letter_at(uri, path) != '/' && letter_at(uri, path) != '?') {
      if (letter_at(uri, path) == '@') begin = path + 1;
      ++path;
    }
    made.host = uri.part(begin, path);
    break;
  }
  auto end = path;
  while (end < uri.size && letter_at(uri, end) != '?' && letter_at(uri, end) != '#') ++end;
  made.path = uri.part(path, end);
  made.rest = uri.part(end, uri.size);
  return made;
}

// A host in small letters, without its port; after a dot.
[[nodiscard]] HOST_DEVICE inline text_view put_host(text_view host, detail::text_writer& out) {
  using namespace detail;
  auto const begin = out.size;
  out.put('.');
  bool const is_ipv6 = letter_at(host, 0) == '[';
  for (std::uint32_t at = 0; at < host.size; ++at) {
    char const c = letter_at(host, at);
    if (c == ':' && !is_ipv6) break;
    out.put(lower(c));
    if (c == ']') break;
  }
  return out.since(begin);
}

// As Suricata's http.uri: the path decoded, with one / for several, \ as /, and without . and ..; then the query and
// the fragment with %XX decoded.
[[nodiscard]] HOST_DEVICE inline text_view put_uri(uri_parts const& of, detail::text_writer& out) {
  using namespace detail;
  auto const begin = out.size;
  put_decoded_path(of.path, out);
  remove_dots(out, begin);
  for (std::uint32_t at = 0; at < of.rest.size;) {
    decoded_byte made{letter_at(of.rest, at), 1};
    if (made.byte == '%') {
      if (auto const decoded = decode_percent(of.rest, at); decoded.letters != 0) made = decoded;
    }
    out.put(made.byte);
    at += made.letters;
  }
  return out.since(begin);
}

}  // namespace packetwarp::inspect
