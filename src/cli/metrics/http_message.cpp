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

// Takes the text up to the next blank, and the blank.
[[nodiscard]] std::string_view take_word(std::string_view& line) {
  auto const end = std::min(line.find(' '), line.size());
  auto const word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

[[nodiscard]] bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

[[nodiscard]] std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Takes the text up to the next separator, and the separator; returns it without blanks around it.
[[nodiscard]] std::string_view take_part(std::string_view& text, char separator) {
  auto const end = std::min(text.find(separator), text.size());
  auto const part = trimmed(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

[[nodiscard]] bool same_word(std::string_view a, std::string_view b) {
  auto const lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

// Thousandths of "0.5", which has at most three digits (RFC 9110, 12.4.2). Any other text counts as 1.
[[nodiscard]] int weight_of(std::string_view text) {
  constexpr int most = 1000;
  if (text.empty() || text.front() != '0') return most;
  int weight = 0;
  int digit = 100;
  for (auto const c : text.substr(std::min<std::size_t>(2, text.size()))) {
    if (c < '0' || c > '9') return most;
    weight += (c - '0') * digit;
    digit /= 10;
  }
  return weight;
}

// The weight that a media range gives to a media type, 0 to 1000, and how exactly the range names the type: 3 by its
// name, 2 by "text/*", 1 by "*/*", 0 not at all.
struct acceptance {
  int exactness{};
  int weight{};
};
[[nodiscard]] acceptance acceptance_by(std::string_view range, std::string_view type) {
  auto const name = take_part(range, ';');
  auto const group = type.substr(0, type.find('/') + 1);
  int const exactness = same_word(name, type)                                                       ? 3
                        : name.ends_with("/*") && same_word(name.substr(0, name.size() - 1), group) ? 2
                        : name == "*/*"                                                             ? 1
                                                                                                    : 0;
  int weight = 1000;
  while (!range.empty()) {
    auto parameter = take_part(range, ';');
    auto const key = take_part(parameter, '=');
    if (same_word(key, "q")) weight = weight_of(parameter);
  }
  return {exactness, weight};
}

// The range that names the type most exactly decides; of several, such as versions, the one with the most weight.
[[nodiscard]] acceptance acceptance_of(std::string_view accept, std::string_view type) {
  acceptance best;
  while (!accept.empty()) {
    auto const one = acceptance_by(take_part(accept, ','), type);
    bool const is_better =
        one.exactness > best.exactness || (one.exactness == best.exactness && one.weight > best.weight);
    if (one.exactness != 0 && is_better) best = one;
  }
  return best;
}

// Whether it is the version of a request that this server reads: HTTP/1. and a digit (RFC 9112, 2.3).
[[nodiscard]] bool is_version(std::string_view text) {
  constexpr std::string_view major = "HTTP/1.";
  return text.size() == major.size() + 1 && text.starts_with(major) && text.back() >= '0' && text.back() <= '9';
}

// The target without a scheme and an authority: a server must accept the absolute form, too (RFC 9112, 3.2.2).
[[nodiscard]] std::string_view origin_form(std::string_view target) {
  constexpr std::string_view scheme = "http://";
  if (!same_word(target.substr(0, scheme.size()), scheme)) return target;
  target.remove_prefix(scheme.size());
  auto const end = target.find_first_of("/?");
  if (end == 0 || target.empty()) return {};
  return end == std::string_view::npos || target[end] == '?' ? "/" : target.substr(end);
}

}  // namespace

bool prefers(std::string_view accept, std::string_view a, std::string_view b) {
  auto const wanted = acceptance_of(accept, a);
  return wanted.exactness == 3 && wanted.weight > 0 && wanted.weight >= acceptance_of(accept, b).weight;
}

std::optional<http_request> parse_http_request(std::string_view head) {
  auto line = head.substr(0, head.find("\r\n"));
  auto const method = take_word(line);
  auto const words = take_word(line);
  if (!is_version(line) || method.empty() || !is_printable(method)) return std::nullopt;
  auto const target = origin_form(words);
  if (!target.starts_with('/') || !is_printable(target)) return std::nullopt;
  http_request made;
  made.method = method == "GET" ? http_method::get : method == "HEAD" ? http_method::head : http_method::other;
  made.path = target.substr(0, target.find('?'));
  std::size_t hosts = 0;
  auto lines = head.substr(std::min(head.find("\r\n"), head.size()));
  while (!lines.empty()) {
    lines.remove_prefix(2);
    auto header = lines.substr(0, lines.find("\r\n"));
    lines.remove_prefix(header.size());
    // No white space before the colon, and no line that goes on from the one before (RFC 9112, 5.1 and 5.2).
    auto const before = header.substr(0, header.find(':'));
    bool const is_field = before.size() < header.size() && !before.empty() && is_printable(before);
    if (!header.empty() && !is_field) return std::nullopt;
    // Several Accept headers are one list (RFC 9110, 5.3).
    auto const name = take_part(header, ':');
    if (same_word(name, "Host")) ++hosts;
    if (same_word(name, "Accept")) {
      made.accept += fmt::format("{}{}", made.accept.empty() ? "" : ",", trimmed(header));
    }
  }
  // A request of HTTP/1.1 names its host, once (RFC 9112, 3.2). HTTP/1.0 knows no Host.
  if (hosts > 1 || (hosts == 0 && line.back() != '0')) return std::nullopt;
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
