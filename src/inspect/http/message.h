// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "inspect/language/rule.h"

namespace packetwarp::inspect {

// Bytes that lie elsewhere. A view without `bytes` is absent, which differs from an empty text.
struct text_view {
  std::byte const* bytes{};
  std::uint32_t size{};

  [[nodiscard]] HOST_DEVICE text_view part(std::uint32_t begin, std::uint32_t end) const {
    return {bytes + begin, end - begin};
  }
};

// The same numbers as in_requests and in_responses (language/buffers.h).
enum class http_kind : std::uint8_t { request = 1, response = 2 };
enum class http_framing : std::uint8_t { none, sized, chunked, until_end };

// A message of HTTP/1 (RFC 9112) as rules see it. The buffers are views of the message's head, and of the memory that
// its reader was given for normalised forms; they are valid as long as both are.
struct http_message {
  text_view buffers[http_buffers]{};  // by http_number(); absent: the message does not have it
  std::uint32_t known{};              // http_bit(): whether the message has that buffer is known by now
  http_kind kind{};
  http_framing framing{};
  bool is_encoded{};          // Content-Encoding: the body is not what its receiver sees
  bool has_more_encodings{};  // than there is room for
  std::uint8_t encodings{};
  text_view encoding[3]{};    // the values of Content-Encoding, in the head
  bool is_header_as_sent{};   // http.header has the bytes of the head
  bool has_whole_body{};      // no more bytes of the body will be seen
  std::uint32_t head_size{};  // bytes
  std::uint64_t body_size{};  // of a sized one

  [[nodiscard]] HOST_DEVICE text_view const& buffer(rule_buffer which) const { return buffers[http_number(which)]; }
  [[nodiscard]] HOST_DEVICE text_view const& body() const {
    return buffer(kind == http_kind::request ? rule_buffer::http_request_body : rule_buffer::http_response_body);
  }
  HOST_DEVICE void set(rule_buffer which, text_view text) {
    buffers[http_number(which)] = text;
    known |= http_bit(which);
  }
};

}  // namespace packetwarp::inspect
