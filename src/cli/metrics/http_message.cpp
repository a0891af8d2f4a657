// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/metrics/http_message.h"

#include <fmt/format.h>

#include <algorithm>

namespace packetwarp {
namespace {

[[nodiscard]] std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "";
  }
}

// Up to the next blank, which goes with it.
[[nodiscard]] std::string_view take_word(std::string_view& line) {
  auto const end = std::min(line.find(' '), line.size());
  auto const word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

[[nodiscard]] bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

std::optional<http_request> parse_http_request(std::string_view head) {
  auto line = head.substr(0, head.find("\r\n"));
  auto const method = take_word(line);
  auto const target = take_word(line);
  if (!line.starts_with("HTTP/1.") || method.empty() || !is_printable(method)) return std::nullopt;
  // Origin form alone: this is no proxy.
  if (!target.starts_with('/') || !is_printable(target)) return std::nullopt;
  http_request made;
  made.method = method == "GET" ? http_method::get : method == "HEAD" ? http_method::head : http_method::other;
  made.path = target.substr(0, target.find('?'));
  return made;
}

std::string to_wire(http_response const& given, http_method asked) {
  auto made = fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}Connection: close\r\n\r\n",
                          given.status, reason_of(given.status), given.type, given.body.size(),
                          given.status == 405 ? "Allow: GET, HEAD\r\n" : "");
  return asked == http_method::head ? made : made + given.body;
}

http_response http_error(int status, std::string_view what) {
  return {.status = status, .body = fmt::format("{}\n", what)};
}

}  // namespace packetwarp
