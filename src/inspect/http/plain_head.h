// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "inspect/http/head.h"

namespace packetwarp::inspect {

// The reader of plain heads by all lanes of a group (function/group.h). The lines of a plain head end with CR LF, each
// field has a line and a name of its own, and no byte but those of lines' ends is a control character: nearly all heads
// are plain. The lanes look for the lines together, and read the fields side by side.

// The lines of a head while they are read, in memory that the lanes share.
struct plain_lines {
  static constexpr std::uint32_t most_fields = field_limit;
  static constexpr std::uint32_t most = most_fields + 2;  // with the first line and the empty one

  std::uint16_t of_lane[32];  // what each lane has found
  std::uint16_t begins[most + 1];
  // By line:
  std::uint16_t name_sizes[most];
  std::uint16_t values[most];  // places in the text
  std::uint16_t value_sizes[most];
  std::uint32_t hashes[most];  // of the names in small letters
  rule_buffer buffers[most];
  bool is_framing[most];  // the field says how the body ends
};

namespace detail {

// A lane's share of `size` bytes.
struct lane_part {
  std::uint32_t begin;
  std::uint32_t end;
};
[[nodiscard]] HOST_DEVICE lane_part part_of(auto const& group, std::uint32_t size) {
  auto const each = (size + group.lanes() - 1) / group.lanes();
  auto const begin = group.lane() * each < size ? group.lane() * each : size;
  return {begin, begin + each < size ? begin + each : size};
}

// After the first empty line, if CR LF ends it and the line before; 0: there is none.
[[nodiscard]] HOST_DEVICE std::uint32_t plain_end(auto const& group, text_view text, plain_lines& lines) {
  constexpr std::uint32_t end_bytes = 4;
  auto const part = part_of(group, text.size);
  std::uint32_t found = 0;
  for (auto at = part.begin; at < part.end && found == 0; ++at) {
    if (letter_at(text, at) != '\r' || letter_at(text, at + 1) != '\n') continue;
    if (letter_at(text, at + 2) == '\r' && letter_at(text, at + 3) == '\n') found = at + end_bytes;
  }
  lines.of_lane[group.lane()] = static_cast<std::uint16_t>(found);
  group.sync();
  std::uint32_t first = 0;
  for (std::uint32_t i = 0; i < group.lanes() && first == 0; ++i) first = lines.of_lane[i];
  group.sync();
  return first;
}

// How many lines the head has; 0: it is not plain, or has too many.
[[nodiscard]] HOST_DEVICE std::uint32_t find_plain_lines(auto const& group, text_view head, plain_lines& lines) {
  auto const part = part_of(group, head.size);
  std::uint32_t own = 0;
  std::uint32_t odd = 0;
  for (auto at = part.begin; at < part.end; ++at) {
    auto const c = static_cast<unsigned char>(letter_at(head, at));
    if (c >= ' ') continue;
    bool const is_end = c == '\n' && at != 0 && letter_at(head, at - 1) == '\r';
    bool const is_before_end = c == '\r' && letter_at(head, at + 1) == '\n';
    if (is_end) ++own;
    if (!is_end && !is_before_end) ++odd;
  }
  lines.of_lane[group.lane()] = static_cast<std::uint16_t>(own);
  bool const is_odd = group.sum(odd) != 0;
  group.sync();
  std::uint32_t before = 0;
  std::uint32_t all = 0;
  for (std::uint32_t i = 0; i < group.lanes(); ++i) {
    if (i < group.lane()) before += lines.of_lane[i];
    all += lines.of_lane[i];
  }
  group.sync();
  if (is_odd || all > plain_lines::most) return 0;
  if (group.lane() == 0) lines.begins[0] = 0;
  for (auto at = part.begin; at < part.end; ++at) {
    if (letter_at(head, at) == '\n') lines.begins[++before] = static_cast<std::uint16_t>(at + 1);
  }
  group.sync();
  return all;
}

[[nodiscard]] HOST_DEVICE inline text_view plain_line(text_view head, plain_lines const& lines, std::uint32_t n) {
  return head.part(lines.begins[n], lines.begins[n + 1] - 2U);
}
[[nodiscard]] HOST_DEVICE inline header_field_text plain_field(text_view head, plain_lines const& lines,
                                                               std::uint32_t n) {
  auto const name = std::uint32_t{lines.begins[n]};
  auto const value = std::uint32_t{lines.values[n]};
  return {head.part(name, name + lines.name_sizes[n]), head.part(value, value + lines.value_sizes[n])};
}

// By a lane: reads the field of a line. False: it is not plain.
[[nodiscard]] HOST_DEVICE inline bool read_plain_field(text_view head, http_kind kind, plain_lines& lines,
                                                       std::uint32_t n) {
  auto const line = plain_line(head, lines, n);
  auto const colon = find(line, ':');
  if (colon == 0 || colon == line.size) return false;
  auto const name = line.part(0, colon);
  if (is_blank(letter_at(name, 0)) || is_blank(letter_at(name, colon - 1))) return false;
  auto const value = without_blanks(line.part(colon + 1, line.size));
  lines.name_sizes[n] = static_cast<std::uint16_t>(colon);
  lines.values[n] = static_cast<std::uint16_t>(value.bytes - head.bytes);
  lines.value_sizes[n] = static_cast<std::uint16_t>(value.size);
  lines.hashes[n] = hash_of_name(name);
  lines.buffers[n] = buffer_of_field(name, kind);
  lines.is_framing[n] = is_framing_name(name);
  return true;
}

// Reads the fields, each by a lane. False: the head is not plain.
[[nodiscard]] HOST_DEVICE bool read_plain_fields(auto const& group, text_view head, http_kind kind, plain_lines& lines,
                                                 std::uint32_t count) {
  std::uint32_t odd = 0;
  for (auto n = 1 + group.lane(); n + 1 < count; n += group.lanes()) {
    if (!read_plain_field(head, kind, lines, n)) ++odd;
  }
  bool const is_odd = group.sum(odd) != 0;
  group.sync();
  if (is_odd) return false;
  std::uint32_t repeated = 0;
  for (auto n = 1 + group.lane(); n + 1 < count; n += group.lanes()) {
    for (std::uint32_t other = 1; other < n; ++other) {
      if (lines.hashes[other] == lines.hashes[n]) ++repeated;
    }
  }
  return group.sum(repeated) == 0;
}

// The places of a field in http.header and http.header_names.
struct plain_places {
  std::uint32_t header;
  std::uint32_t names;
  bool has_cookie;  // a field before this one is one
};
[[nodiscard]] HOST_DEVICE inline plain_places places_before(plain_lines const& lines, std::uint32_t n) {
  plain_places made{0, 2, false};
  for (std::uint32_t i = 1; i < n; ++i) {
    made.names += lines.name_sizes[i] + 2U;
    if (lines.buffers[i] == rule_buffer::http_cookie) {
      made.has_cookie = true;
    } else {
      made.header += lines.name_sizes[i] + 2U + lines.value_sizes[i] + 2U;
    }
  }
  return made;
}

// Whether the line has the form that http.header gives it.
[[nodiscard]] HOST_DEVICE inline bool is_line_as_sent(text_view head, plain_lines const& lines, std::uint32_t n) {
  auto const name = std::uint32_t{lines.name_sizes[n]};
  auto const line = plain_line(head, lines, n);
  return line.size == name + 2U + lines.value_sizes[n] && letter_at(line, name + 1) == ' ';
}

// Whether http.header has the bytes of the head.
[[nodiscard]] HOST_DEVICE bool is_plain_header_as_sent(auto const& group, text_view head, plain_lines const& lines,
                                                       std::uint32_t count) {
  std::uint32_t others = 0;
  for (auto n = 1 + group.lane(); n + 1 < count; n += group.lanes()) {
    if (lines.buffers[n] == rule_buffer::http_cookie) continue;
    if (places_before(lines, n).has_cookie || !is_line_as_sent(head, lines, n)) ++others;
  }
  return group.sum(others) == 0;
}

// Writes http.header, unless it is as sent, and then http.header_names. Returns where each ends.
[[nodiscard]] HOST_DEVICE plain_places write_plain_forms(auto const& group, text_view head, plain_lines const& lines,
                                                         std::uint32_t count, bool is_as_sent, std::byte* forms) {
  auto const all = places_before(lines, count - 1);
  auto* const names = forms + (is_as_sent ? 0 : all.header);
  auto const writer_at = [](std::byte* at) { return text_writer{at, ~std::uint32_t{0}, 0, false}; };
  for (auto n = 1 + group.lane(); n + 1 < count; n += group.lanes()) {
    auto const at = places_before(lines, n);
    auto const field = plain_field(head, lines, n);
    auto name = writer_at(names + at.names);
    name.put(field.name);
    put_line_end(name);
    if (is_as_sent || lines.buffers[n] == rule_buffer::http_cookie) continue;
    auto line = writer_at(forms + at.header);
    line.put(field.name);
    line.put(':');
    line.put(' ');
    line.put(field.value);
    put_line_end(line);
  }
  if (group.lane() == 0) {
    auto begin = writer_at(names);
    put_line_end(begin);
    auto end = writer_at(names + all.names);
    put_line_end(end);
  }
  return all;
}

// The first position of a lane's share for which is_it(position) holds; `size`: there is none.
template <class Is>
[[nodiscard]] HOST_DEVICE std::uint32_t first_of(auto const& group, std::uint32_t size, plain_lines& lines,
                                                 Is&& is_it) {
  auto const part = part_of(group, size);
  auto found = part.begin;
  while (found < part.end && !is_it(found)) ++found;
  lines.of_lane[group.lane()] = static_cast<std::uint16_t>(found < part.end ? found : size);
  group.sync();
  auto first = size;
  for (std::uint32_t i = 0; i < group.lanes(); ++i) {
    if (lines.of_lane[i] < first) first = lines.of_lane[i];
  }
  group.sync();
  return first;
}

// A request's line in its parts, if it is one of a method, a path with a query or without, and a version, and http.uri
// has the path as it was sent.
struct plain_request {
  std::uint32_t method;   // its end
  std::uint32_t version;  // its begin; 0: the line is another one
};
[[nodiscard]] HOST_DEVICE plain_request find_request(auto const& group, text_view line, plain_lines& lines) {
  auto const size = line.size;
  auto const method = first_of(group, size, lines, [&](auto at) { return letter_at(line, at) == ' '; });
  auto const from = method + 1;
  if (method == 0 || letter_at(line, from) != '/') return {};
  auto const next = first_of(group, size, lines, [&](auto at) { return at > from && letter_at(line, at) == ' '; });
  if (next == size || !begins_with(line.part(next + 1, size), "http/")) return {};
  auto const query = first_of(group, next, lines, [&](auto at) {
    char const c = letter_at(line, at);
    return at > from && (c == '?' || c == '#');
  });
  auto const other = first_of(group, size, lines, [&](auto at) {
    if (at < from) return false;
    char const c = letter_at(line, at);
    if (at > next) return c == ' ';
    if (c == '%') return true;
    char const after = letter_at(line, at + 1);
    bool const is_odd = c == '\\' || static_cast<signed char>(c) < 0 || (c == '/' && (after == '/' || after == '.'));
    return at < query && is_odd;
  });
  return other == size ? plain_request{method, next + 1} : plain_request{};
}

HOST_DEVICE inline void set_request(text_view line, plain_request const& parts, http_message& made) {
  using enum rule_buffer;
  auto const uri = line.part(parts.method + 1, parts.version - 1);
  made.set(http_request_line, line);
  made.set(http_method, line.part(0, parts.method));
  made.set(http_protocol, line.part(parts.version, line.size));
  made.set(http_uri_raw, uri);
  made.set(http_uri, uri);
}

// By a lane: the buffers of the fields.
HOST_DEVICE inline void set_plain_fields(text_view head, plain_lines const& lines, std::uint32_t count,
                                         http_message& made) {
  for (std::uint32_t n = 1; n + 1 < count; ++n) {
    auto const field = plain_field(head, lines, n);
    if (lines.is_framing[n]) read_framing(field, made);
    auto const buffer = lines.buffers[n];
    // The host of the target stays.
    if (buffer != rule_buffer::http_header && made.buffer(buffer).bytes == nullptr) made.set(buffer, field.value);
  }
}

// By a lane: the message. forms: with http.header and http.header_names, which end at these places. False: it is none,
// or its forms have no room.
[[nodiscard]] HOST_DEVICE inline bool set_plain_message(text_view head, http_kind kind, plain_lines const& lines,
                                                        std::uint32_t count, plain_request const& request,
                                                        bool is_as_sent, plain_places const& ends, std::byte* forms,
                                                        std::uint32_t capacity, http_message& made) {
  using enum rule_buffer;
  made = {};
  made.kind = kind;
  bool const is_request = kind == http_kind::request;
  auto const header = is_as_sent ? 0 : ends.header;
  text_writer out{forms, capacity, header + ends.names + 2, false};
  if (!is_request) read_status_line(plain_line(head, lines, 0), made);
  if (request.version != 0) {
    set_request(plain_line(head, lines, 0), request, made);
  } else if (is_request && !read_request_line(plain_line(head, lines, 0), out, made)) {
    return false;
  }
  auto const fields = std::uint32_t{lines.begins[1]};
  made.head_size = head.size;
  made.set(http_start, head);
  made.set(http_header_raw, head.part(fields, head.size));
  set_plain_fields(head, lines, count, made);
  bool const has_fields = count > 2;
  auto const written = is_as_sent ? head.part(fields, fields + ends.header) : text_view{forms, ends.header};
  made.set(http_header, ends.header != 0 ? written : text_view{});
  made.set(http_header_names, has_fields ? text_view{forms + header, ends.names + 2} : text_view{});
  made.is_header_as_sent = is_as_sent;
  if (is_request) finish_host(out, made);
  made.known = bits_of_head();
  return !out.is_full;
}

}  // namespace detail

// By all lanes, 32 at most: reads the head at the begin of `text`, as read_head() does. forms: `capacity` bytes, as
// many as room_for_head(). False: the head is not plain, or has no end there, and `made` means nothing.
[[nodiscard]] HOST_DEVICE bool read_plain_head(auto const& group, text_view text, http_kind kind, plain_lines& lines,
                                               std::byte* forms, std::uint32_t capacity, http_message& made) {
  using namespace detail;
  constexpr std::uint32_t most = 0xffff;
  if (letter_at(text, 0) <= ' ' || text.size > most || capacity < room_for_head(text.size)) return false;
  if (!(kind == http_kind::request ? may_be_request(text) : may_be_response(text))) return false;
  auto const end = plain_end(group, text, lines);
  if (end == 0) return false;
  auto const head = text.part(0, end);
  auto const count = find_plain_lines(group, head, lines);
  if (count == 0 || !read_plain_fields(group, head, kind, lines, count)) return false;
  bool const is_as_sent = is_plain_header_as_sent(group, head, lines, count);
  auto const ends = write_plain_forms(group, head, lines, count, is_as_sent, forms);
  bool const is_request = kind == http_kind::request;
  auto const request = is_request ? find_request(group, plain_line(head, lines, 0), lines) : plain_request{};
  group.sync();
  std::uint32_t is_message = 0;
  if (group.lane() == 0 &&
      set_plain_message(head, kind, lines, count, request, is_as_sent, ends, forms, capacity, made))
    is_message = 1;
  bool const is_read = group.sum(is_message) != 0;
  group.sync();
  return is_read;
}

}  // namespace packetwarp::inspect
