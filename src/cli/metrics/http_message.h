// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace packetwarp {

// The part of HTTP/1.1 that read-only pages need (RFC 9110, RFC 9112).

enum class http_method { get, head, other };

struct http_request {
  http_method method{http_method::get};
  std::string path;    // of the target, without a query
  std::string accept;  // the media types that the client accepts, in its words; empty: any
};

struct http_response {
  int status{200};
  std::string type{"text/plain; charset=utf-8"};
  std::string body;
};

// The request at the beginning of a connection's bytes; nothing if they begin with none. head: up to the empty line,
// without it. The path is that of the origin form or of the absolute form. A request of HTTP/1.1 has one Host (RFC
// 9112, 3.2), of any value. Otherwise only the header Accept is read: no page depends on another header.
[[nodiscard]] std::optional<http_request> parse_http_request(std::string_view head);

// Whether a client with this Accept header (RFC 9110, 12.5.1) names media type `a` and gives it at least the weight of
// `b`: a wildcard alone does not ask for `a`. Parameters other than q are ignored.
[[nodiscard]] bool prefers(std::string_view accept, std::string_view a, std::string_view b);

// The bytes on the wire; the connection ends after them. A HEAD's response has no body (RFC 9110, 9.3.2).
[[nodiscard]] std::string to_wire(http_response const& given, http_method asked);

// A response with one line about the error.
[[nodiscard]] http_response http_error(int status, std::string_view what);

}  // namespace packetwarp
