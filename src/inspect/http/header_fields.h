// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "inspect/http/text.h"

namespace packetwarp::inspect {

// Fields of a head that are joined to others of their name. Later ones are joined if their name has a buffer.
inline constexpr std::uint32_t field_limit = 64;

namespace detail {

// A field of a head: its name, and its value with the lines that go on with it.
struct header_field_text {
  text_view name;
  text_view value;
};

// After the empty line that ends the head; 0: it is missing.
[[nodiscard]] HOST_DEVICE inline std::uint32_t head_end(text_view text, std::uint32_t begin, http_kind kind) {
  while (begin < text.size) {
    auto const line = line_at(text, begin, kind);
    if (!line.is_whole) return 0;
    if (line.ends_head) return line.next;
    begin = line.next;
  }
  return 0;
}

[[nodiscard]] HOST_DEVICE inline bool has_colon(text_view line) { return find(line, ':') != line.size; }

// Whether a response's line goes on with the field before it. With a colon of its own it is a field, as for Suricata.
[[nodiscard]] HOST_DEVICE inline bool goes_on(text_view line, bool is_field_named) {
  if (without_blanks(line).size == 0) return true;
  bool const is_folded = is_blank(letter_at(line, 0)) || letter_at(line, 0) == '\0';
  return is_folded && !(is_field_named && has_colon(line));
}

// The end of the field whose first line is this one.
[[nodiscard]] HOST_DEVICE inline std::uint32_t field_end(text_view fields, head_line const& first, http_kind kind) {
  auto next = first.next;
  if (kind == http_kind::request) {
    while (next < fields.size && is_blank(letter_at(fields, next))) next = line_at(fields, next, kind).next;
    return next;
  }
  bool is_named = has_colon(first.text);
  while (next < fields.size) {
    auto const line = line_at(fields, next, kind);
    if (line.ends_head || !goes_on(line.text, is_named)) break;
    is_named = is_named || has_colon(line.text);
    next = line.next;
  }
  return next;
}

// Takes the field at `at`; false: the head ends there. A line without a colon is skipped; a response's name may be
// folded.
[[nodiscard]] HOST_DEVICE inline bool take_field(text_view fields, http_kind kind, std::uint32_t& at,
                                                 header_field_text& made) {
  while (at < fields.size) {
    auto const first = line_at(fields, at, kind);
    if (first.ends_head) return false;
    auto const whole = fields.part(at, field_end(fields, first, kind));
    at += whole.size;
    auto const named = kind == http_kind::request ? first.text : whole;
    auto const colon = find(named, ':');
    if (colon == named.size) continue;
    made.name = without_blanks(whole.part(0, colon));
    made.value = without_blanks(whole.part(colon + 1, whole.size));
    return true;
  }
  return false;
}

// The buffer of the field with this name; http_header: it has none of its own.
[[nodiscard]] HOST_DEVICE inline rule_buffer buffer_of_field(text_view name, http_kind kind) {
  using enum rule_buffer;
  if (is_word(name, "content-type")) return http_content_type;
  if (is_word(name, "content-length")) return http_content_len;
  if (is_word(name, "connection")) return http_connection;
  if (kind == http_kind::response) {
    if (is_word(name, "set-cookie")) return http_cookie;
    if (is_word(name, "location")) return http_location;
    if (is_word(name, "server")) return http_server;
    return http_header;
  }
  if (is_word(name, "host")) return http_host_raw;
  if (is_word(name, "user-agent")) return http_user_agent;
  if (is_word(name, "cookie")) return http_cookie;
  if (is_word(name, "referer")) return http_referer;
  if (is_word(name, "accept")) return http_accept;
  if (is_word(name, "accept-encoding")) return http_accept_enc;
  if (is_word(name, "accept-language")) return http_accept_lang;
  return http_header;
}

// The fields of a head. Fields of one name are joined by their numbers.
struct field_list {
  static constexpr std::uint32_t most = field_limit;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  header_field_text fields[most];
  std::uint32_t hashes[most];  // of the names in small letters
  std::uint32_t next[most];    // the next field of the same name
  bool is_first[most];         // of its name
  std::uint32_t count;
  std::uint32_t end;  // where fields begin that have no place here: each stands on its own
};

[[nodiscard]] HOST_DEVICE inline std::uint32_t hash_of_name(text_view name) {
  std::uint32_t hash = name.size;
  for (std::uint32_t i = 0; i < name.size; ++i) {
    hash = (hash ^ static_cast<unsigned char>(lower(letter_at(name, i)))) * 0x0100'0193U;
  }
  return hash;
}

HOST_DEVICE inline void list_fields(text_view text, http_kind kind, field_list& made) {
  made.count = 0;
  made.end = 0;
  while (made.count < made.most && take_field(text, kind, made.end, made.fields[made.count])) {
    auto const at = made.count++;
    auto const& name = made.fields[at].name;
    made.hashes[at] = hash_of_name(name);
    made.next[at] = made.none;
    made.is_first[at] = true;
    for (auto before = at; before-- != 0;) {
      if (made.hashes[before] != made.hashes[at] || !is_same_word(made.fields[before].name, name)) continue;
      made.next[before] = at;
      made.is_first[at] = false;
      break;
    }
  }
}

// The values of this field and of the next ones of its name, with ", " between them.
HOST_DEVICE inline void put_values(field_list const& list, std::uint32_t number, text_writer& out) {
  out.put_folded(list.fields[number].value);
  for (auto at = list.next[number]; at != list.none; at = list.next[at]) {
    out.put(',');
    out.put(' ');
    out.put_folded(list.fields[at].value);
  }
}

// The same for the fields of a head from `at` on, after a value of this name.
HOST_DEVICE inline void put_later_values(text_view text, http_kind kind, std::uint32_t at, text_view name,
                                         text_writer& out) {
  header_field_text field;
  while (take_field(text, kind, at, field)) {
    if (!is_same_word(field.name, name)) continue;
    out.put(',');
    out.put(' ');
    out.put_folded(field.value);
  }
}

// The fields after those of the list, without those whose values were joined to an earlier one.
struct later_fields {
  text_view text;
  http_kind kind;
  std::uint32_t at;
  std::uint32_t joined;  // http_bit() of the buffers that fields before have

  [[nodiscard]] HOST_DEVICE static later_fields after(text_view text, field_list const& list, http_kind kind) {
    later_fields made{text, kind, list.end, 0};
    for (std::uint32_t i = 0; i < list.count; ++i) made.note(buffer_of_field(list.fields[i].name, kind));
    return made;
  }
  [[nodiscard]] HOST_DEVICE bool take(header_field_text& field, rule_buffer& buffer) {
    while (take_field(text, kind, at, field)) {
      buffer = buffer_of_field(field.name, kind);
      bool const is_joined = buffer != rule_buffer::http_header && (joined & http_bit(buffer)) != 0;
      note(buffer);
      if (!is_joined) return true;
    }
    return false;
  }

 private:
  HOST_DEVICE void note(rule_buffer buffer) { joined |= http_bit(buffer); }
};

template <std::size_t Size>
[[nodiscard]] HOST_DEVICE bool has_word(text_view text, char const (&small)[Size]) {
  for (std::uint32_t at = 0; at + Size - 1 <= text.size; ++at) {
    if (begins_loosely(text.part(at, text.size), small)) return true;
  }
  return false;
}

// A body's receiver decodes these (RFC 9110, 8.4.1; RFC 7932; RFC 8878), and takes others as they are.
[[nodiscard]] HOST_DEVICE inline bool is_encoding(text_view value) {
  return has_word(value, "gzip") || has_word(value, "deflate") || has_word(value, "compress") || is_word(value, "br") ||
         has_word(value, "zstd") || has_word(value, "lzma");
}

// Several lengths mean the longest; a value that is no number means no length, and a response goes on to the end.
HOST_DEVICE inline void read_length(text_view value, http_message& made) {
  std::uint64_t length = 0;
  for (std::uint32_t i = 0; i < value.size; ++i) {
    int const digit = digit_of(static_cast<unsigned char>(letter_at(value, i)), 10);
    if (digit < 0) return;
    if (length < std::uint64_t{1} << 48) length = 10 * length + static_cast<unsigned>(digit);
  }
  bool const is_known = made.framing == http_framing::sized;
  if (value.size == 0 || (is_known && made.body_size >= length)) return;
  made.framing = http_framing::sized;
  made.body_size = length;
}

// Whether a field of this name may say how the body ends.
[[nodiscard]] HOST_DEVICE inline bool is_framing_name(text_view name) {
  return is_loose_word(name, "transfer-encoding") || is_loose_word(name, "content-encoding") ||
         is_word(name, "content-length");
}

// How the field says that the body ends. Chunked precedes a length (RFC 9112, 6.3).
HOST_DEVICE inline void read_framing(header_field_text const& field, http_message& made) {
  if (is_loose_word(field.name, "transfer-encoding") && has_word(field.value, "chunked")) {
    made.framing = http_framing::chunked;
  } else if (is_loose_word(field.name, "content-encoding") && is_encoding(field.value)) {
    made.is_encoded = true;
    if (made.encodings == sizeof made.encoding / sizeof made.encoding[0]) {
      made.has_more_encodings = true;
    } else {
      made.encoding[made.encodings++] = field.value;
    }
  } else if (is_word(field.name, "content-length") && made.framing != http_framing::chunked) {
    read_length(field.value, made);
  }
}

HOST_DEVICE inline void put_line_end(text_writer& out) {
  out.put('\r');
  out.put('\n');
}

// Writes http.header: a line per name, without cookies.
HOST_DEVICE inline void put_header(text_view text, field_list const& list, text_writer& out, http_message& made) {
  using enum rule_buffer;
  auto const begin = out.size;
  auto const put_name = [&](header_field_text const& field) {
    out.put_folded(field.name);
    out.put(':');
    out.put(' ');
  };
  auto const end_line = [&](rule_buffer buffer, std::uint32_t value) {
    // The host of the target stays.
    if (buffer != http_header && made.buffer(buffer).bytes == nullptr) made.set(buffer, out.since(value));
    put_line_end(out);
  };
  for (std::uint32_t i = 0; i < list.count; ++i) {
    auto const buffer = buffer_of_field(list.fields[i].name, made.kind);
    if (buffer == http_cookie || !list.is_first[i]) continue;
    put_name(list.fields[i]);
    auto const value = out.size;
    put_values(list, i, out);
    if (buffer != http_header) put_later_values(text, made.kind, list.end, list.fields[i].name, out);
    end_line(buffer, value);
  }
  header_field_text field;
  rule_buffer buffer{};
  for (auto later = later_fields::after(text, list, made.kind); later.take(field, buffer);) {
    if (buffer == http_cookie) continue;
    put_name(field);
    auto const value = out.size;
    out.put_folded(field.value);
    if (buffer != http_header) put_later_values(text, made.kind, later.at, field.name, out);
    end_line(buffer, value);
  }
  made.set(http_header, out.size == begin ? text_view{} : out.since(begin));
}

// Writes http.header_names: an empty line, a line per name, an empty line.
HOST_DEVICE inline void put_names(text_view text, field_list const& list, text_writer& out, http_message& made) {
  auto const begin = out.size;
  put_line_end(out);
  for (std::uint32_t i = 0; i < list.count; ++i) {
    if (!list.is_first[i]) continue;
    out.put_folded(list.fields[i].name);
    put_line_end(out);
  }
  header_field_text field;
  rule_buffer buffer{};
  for (auto later = later_fields::after(text, list, made.kind); later.take(field, buffer);) {
    out.put_folded(field.name);
    put_line_end(out);
  }
  put_line_end(out);
  made.set(rule_buffer::http_header_names, list.count == 0 ? text_view{} : out.since(begin));
}

HOST_DEVICE inline void put_cookies(text_view text, field_list const& list, text_writer& out, http_message& made) {
  using enum rule_buffer;
  auto const begin = out.size;
  for (std::uint32_t i = 0; i < list.count; ++i) {
    if (buffer_of_field(list.fields[i].name, made.kind) != http_cookie) continue;
    put_values(list, i, out);
    put_later_values(text, made.kind, list.end, list.fields[i].name, out);
    made.set(http_cookie, out.since(begin));
    return;
  }
  header_field_text field;
  for (auto at = list.end; take_field(text, made.kind, at, field);) {
    if (buffer_of_field(field.name, made.kind) != http_cookie) continue;
    out.put_folded(field.value);
    put_later_values(text, made.kind, at, field.name, out);
    made.set(http_cookie, out.since(begin));
    return;
  }
}

// Reads the fields of a head, with the empty line at their end.
HOST_DEVICE inline void read_fields(text_view text, text_writer& out, http_message& made) {
  field_list list;
  list_fields(text, made.kind, list);
  for (std::uint32_t i = 0; i < list.count; ++i) read_framing(list.fields[i], made);
  header_field_text field;
  for (auto at = list.end; take_field(text, made.kind, at, field);) read_framing(field, made);
  put_header(text, list, out, made);
  put_names(text, list, out, made);
  put_cookies(text, list, out, made);
  auto const& written = made.buffer(rule_buffer::http_header);
  made.is_header_as_sent = written.size <= text.size;
  for (std::uint32_t i = 0; made.is_header_as_sent && i < written.size; ++i)
    made.is_header_as_sent = written.bytes[i] == text.bytes[i];
}

}  // namespace detail

}  // namespace packetwarp::inspect
