// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "inspect/http/header_fields.h"
#include "inspect/http/uri.h"

namespace packetwarp::inspect {

// The reader of a message's head. It takes no memory of its own beyond its stack, for CPU and GPU code alike.

enum class head_state : std::uint8_t {
  incomplete,  // its end is missing; what its first line has is known, if that is whole
  complete,
  foreign,  // no HTTP
  too_long  // for the memory of normalised forms
};

// A method of more letters begins no connection of HTTP.
inline constexpr std::uint32_t longest_method = 64;

// Bytes of memory for normalised forms that suffice for a head of `size` bytes.
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t room_for_head(std::uint32_t size) noexcept { return 6 * size + 64; }

namespace detail {

// A letter of a token (RFC 9110, 5.6.2): letters, digits and !#$%&'*+-.^_`|~
[[nodiscard]] HOST_DEVICE constexpr bool is_of_token(char c) noexcept {
  constexpr std::uint64_t to_63 = 0x03ff'6cfa'0000'0000;
  constexpr std::uint64_t to_127 = 0x57ff'ffff'c7ff'fffe;
  auto const code = static_cast<unsigned>(static_cast<unsigned char>(c));
  return code < 128 && ((code < 64 ? to_63 : to_127) >> (code & 63U) & 1U) != 0;
}

// White space in a request's line that servers may take for a blank (RFC 9112, 3).
[[nodiscard]] HOST_DEVICE constexpr bool is_between_words(char c) noexcept {
  return is_blank(c) || c == '\v' || c == '\f';
}
[[nodiscard]] HOST_DEVICE constexpr bool is_around_words(char c) noexcept {
  return is_between_words(c) || c == '\r' || c == '\n';
}
[[nodiscard]] HOST_DEVICE inline text_view without_space(text_view line) {
  while (line.size != 0 && is_around_words(letter_at(line, 0))) line = line.part(1, line.size);
  while (line.size != 0 && is_around_words(letter_at(line, line.size - 1))) --line.size;
  return line;
}

// The text is a request's begin: a method, which is a token (RFC 9110, 9.1), then a blank. Servers may pass over white
// space before it (RFC 9112, 3). Undecided texts are requests so far.
[[nodiscard]] HOST_DEVICE inline bool may_be_request(text_view text, std::uint32_t most_letters = longest_method) {
  std::uint32_t begin = 0;
  while (begin < text.size && is_between_words(letter_at(text, begin))) ++begin;
  auto at = begin;
  while (at < text.size && at - begin <= most_letters) {
    char const c = letter_at(text, at);
    if (is_between_words(c)) return at != begin;
    if (!is_of_token(c)) return false;
    ++at;
  }
  return at == text.size && at - begin <= most_letters;
}

[[nodiscard]] HOST_DEVICE inline bool may_be_response(text_view text) {
  constexpr char begin[] = "http/";
  for (std::uint32_t at = 0; at < text.size && at + 1 < sizeof begin; ++at) {
    if (lower(letter_at(text, at)) != begin[at]) return false;
  }
  return true;
}

// The last word of a request's line, if it is a version; blanks before it may be of the target.
[[nodiscard]] HOST_DEVICE inline std::uint32_t version_begin(text_view line) {
  auto at = line.size;
  while (at != 0 && !is_between_words(letter_at(line, at - 1))) --at;
  if (begins_with(line.part(at, line.size), "http/")) return at;
  while (at != 0 && !is_blank(letter_at(line, at - 1))) --at;
  return begins_with(line.part(at, line.size), "http/") ? at : line.size;
}

// The methods of RFC 9110 and of WebDAV that begin a request even without a version.
[[nodiscard]] HOST_DEVICE inline bool is_known_method(text_view word) {
  return is_word(word, "get") || is_word(word, "post") || is_word(word, "head") || is_word(word, "put") ||
         is_word(word, "options") || is_word(word, "delete") || is_word(word, "connect") || is_word(word, "trace") ||
         is_word(word, "patch") || is_word(word, "propfind");
}

// The authority that a CONNECT asks for, without its port (RFC 9110, 9.3.6).
[[nodiscard]] HOST_DEVICE inline text_view connected_host(text_view target) {
  auto end = target.size;
  while (end != 0 && letter_at(target, end - 1) != ':' && letter_at(target, end - 1) != ']') --end;
  bool const has_port = end != 0 && letter_at(target, end - 1) == ':';
  return has_port ? target.part(0, end - 1) : target;
}

// False: the line is none of HTTP.
[[nodiscard]] HOST_DEVICE inline bool read_request_line(text_view line, text_writer& out, http_message& made) {
  using enum rule_buffer;
  auto const whole = line;
  line = without_space(line);
  std::uint32_t method = 0;
  while (method < line.size && !is_between_words(letter_at(line, method))) ++method;
  auto const target = without_space(line.part(method, line.size));
  auto const version = version_begin(target);
  if (version == target.size && !is_known_method(line.part(0, method))) return false;
  made.set(http_request_line, whole);
  made.set(http_method, line.part(0, method));
  auto const uri = without_space(target.part(0, version));
  made.set(http_protocol, version < target.size ? target.part(version, target.size) : text_view{});
  made.set(http_uri_raw, uri);
  auto const parts = split_uri(uri);
  made.set(http_uri, put_uri(parts, out));
  // The host of the target precedes that of the header (RFC 9112, 3.2.2).
  auto& host = made.buffers[http_number(http_host_raw)];
  host = parts.host;
  bool const is_path = letter_at(uri, 0) == '/';
  if (host.bytes == nullptr && !is_path && is_word(line.part(0, method), "connect")) host = connected_host(uri);
  return true;
}

HOST_DEVICE inline void read_status_line(text_view line, http_message& made) {
  using enum rule_buffer;
  made.set(http_response_line, line);
  auto const version = find(line, ' ');
  made.set(http_protocol, line.part(0, version));
  auto const rest = without_blanks(line.part(version, line.size));
  auto const code = find(rest, ' ');
  made.set(http_stat_code, rest.part(0, code));
  made.set(http_stat_msg, without_blanks(rest.part(code, rest.size)));
}

HOST_DEVICE inline void finish_host(text_writer& out, http_message& made) {
  using enum rule_buffer;
  auto const& raw = made.buffer(http_host_raw);
  if (raw.bytes == nullptr) return;
  auto const dotted = put_host(raw, out);
  made.set(http_host_dotted, dotted);
  made.set(http_host, dotted.size == 0 ? text_view{} : dotted.part(1, dotted.size));
}

// The bits of a head's buffers.
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t bits_of_head() noexcept {
  using enum rule_buffer;
  return ~(http_bit(http_request_body) | http_bit(http_response_body));
}

// The begin of a head, after bytes that its readers skip: lines of white space; of responses blanks and zeroes, too,
// and a short line before the status line.
[[nodiscard]] HOST_DEVICE inline std::uint32_t head_begin(text_view text, http_kind kind) {
  constexpr std::uint32_t longest_skipped = 32;
  bool const is_request = kind == http_kind::request;
  std::uint32_t begin = 0;
  for (std::uint32_t at = 0; at < text.size; ++at) {
    char const c = letter_at(text, at);
    bool const is_end = c == '\r' || c == '\n';
    // White space before a request's method is of its line.
    if (!is_end && !(is_request ? is_between_words(c) : is_blank(c) || c == '\0')) break;
    if (is_end || !is_request) begin = at + 1;
  }
  if (is_request || may_be_response(text.part(begin, text.size))) return begin;
  auto const rest = text.part(begin, text.size);
  auto const end = find(rest, '\n');
  if (end > longest_skipped) return begin;
  // Undecided: the next line's begin is missing.
  return end + 1 >= rest.size ? text.size : begin + end + 1;
}

}  // namespace detail

// Reads the head at the begin of `text`. Lines end with LF or CR LF; a line that begins with a blank goes on with the
// one before it (RFC 9112, 5.2). room: for room_for_head() bytes. most_letters: of a request's method.
[[nodiscard]] HOST_DEVICE inline head_state read_head(text_view text, http_kind kind, std::byte* room,
                                                      std::uint32_t capacity, http_message& made,
                                                      std::uint32_t most_letters = longest_method) {
  using namespace detail;
  made = {};
  made.kind = kind;
  auto const begin = head_begin(text, kind);
  auto const from = text.part(begin, text.size);
  bool const is_request = kind == http_kind::request;
  if (!(is_request ? may_be_request(from, most_letters) : may_be_response(from))) return head_state::foreign;
  auto const first = line_at(text, begin, kind);
  if (!first.is_whole) return head_state::incomplete;
  text_writer out{room, capacity, 0, false};
  if (!is_request) read_status_line(first.text, made);
  if (is_request && !read_request_line(first.text, out, made)) {
    made = {};
    return head_state::foreign;
  }
  auto const end = head_end(text, first.next, kind);
  if (end == 0) return out.is_full ? head_state::too_long : head_state::incomplete;
  made.head_size = end;
  made.set(rule_buffer::http_start, text.part(begin, end));
  made.set(rule_buffer::http_header_raw, text.part(first.next, end));
  read_fields(text.part(first.next, end), out, made);
  if (is_request) finish_host(out, made);
  made.known = bits_of_head();
  return out.is_full ? head_state::too_long : head_state::complete;
}

}  // namespace packetwarp::inspect
