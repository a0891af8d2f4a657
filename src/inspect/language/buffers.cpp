// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/language/buffers.h"

#include <algorithm>

namespace packetwarp::inspect {
namespace {

template <class IsWanted>
[[nodiscard]] buffer_words const* find_words(IsWanted&& is_wanted) {
  auto const all = known_buffers();
  auto const found = std::find_if(all.begin(), all.end(), is_wanted);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::span<buffer_words const> known_buffers() {
  using enum rule_buffer;
  constexpr std::uint8_t in_both = in_requests | in_responses;
  static constexpr buffer_words all[] = {
      {payload, "pkt_data", "", "", 0},
      {http_method, "http.method", "", "http_method", in_requests},
      {http_uri, "http.uri", "", "http_uri", in_requests},
      {http_uri_raw, "http.uri.raw", "", "http_raw_uri", in_requests},
      {http_host, "http.host", "", "http_host", in_requests},
      {http_host_raw, "http.host.raw", "", "http_raw_host", in_requests},
      {http_user_agent, "http.user_agent", "", "http_user_agent", in_requests},
      {http_header, "http.header", "", "http_header", in_both},
      {http_header_raw, "http.header.raw", "", "http_raw_header", in_both},
      {http_header_names, "http.header_names", "http_header_names", "", in_both},
      {http_cookie, "http.cookie", "", "http_cookie", in_both},
      {http_request_line, "http.request_line", "http_request_line", "", in_requests},
      {http_request_body, "http.request_body", "", "http_client_body", in_requests},
      {http_referer, "http.referer", "http_referer", "", in_requests},
      {http_accept, "http.accept", "http_accept", "", in_requests},
      {http_accept_enc, "http.accept_enc", "http_accept_enc", "", in_requests},
      {http_accept_lang, "http.accept_lang", "http_accept_lang", "", in_requests},
      {http_connection, "http.connection", "http_connection", "", in_both},
      {http_content_type, "http.content_type", "http_content_type", "", in_both},
      {http_content_len, "http.content_len", "http_content_len", "", in_both},
      {http_protocol, "http.protocol", "http_protocol", "", in_both},
      {http_start, "http.start", "http_start", "", in_both},
      {http_stat_code, "http.stat_code", "", "http_stat_code", in_responses},
      {http_stat_msg, "http.stat_msg", "", "http_stat_msg", in_responses},
      {http_response_line, "http.response_line", "http_response_line", "", in_responses},
      {http_response_body, "http.response_body", "", "http_server_body", in_responses},
      {http_response_body, "file.data", "file_data", "", in_responses},
      {http_location, "http.location", "", "", in_responses},
      {http_server, "http.server", "", "", in_responses},
      {dns_query, "dns.query", "dns_query", "", 0},
      {tls_sni, "tls.sni", "tls_sni", "", 0},
  };
  return all;
}

rule_buffer buffer_of(payload_check const& check) {
  return std::visit([](auto const& one) { return one.where; }, check);
}

buffer_words const* find_buffer(rule_buffer buffer) {
  if (buffer == rule_buffer::http_host_dotted) buffer = rule_buffer::http_host;
  return find_words([&](auto const& words) { return words.buffer == buffer; });
}

buffer_words const* find_sticky_buffer(std::string_view word) {
  return find_words(
      [&](auto const& words) { return words.name == word || (!words.sticky.empty() && words.sticky == word); });
}

buffer_words const* find_modifier(std::string_view word) {
  return find_words([&](auto const& words) { return !words.modifier.empty() && words.modifier == word; });
}

rule_buffer buffer_of_letter(char letter) {
  using enum rule_buffer;
  struct letter_of {
    char letter;
    rule_buffer buffer;
  };
  constexpr letter_of letters[] = {{'U', http_uri},           {'I', http_uri_raw},    {'P', http_request_body},
                                   {'Q', http_response_body}, {'H', http_header},     {'D', http_header_raw},
                                   {'M', http_method},        {'C', http_cookie},     {'S', http_stat_code},
                                   {'Y', http_stat_msg},      {'V', http_user_agent}, {'W', http_host},
                                   {'Z', http_host_raw}};
  for (auto const& one : letters) {
    if (one.letter == letter) return one.buffer;
  }
  return rule_buffer::unread;
}

bool has_http_buffers(rule const& one) {
  return std::any_of(one.payload.begin(), one.payload.end(),
                     [](auto const& check) { return is_http(buffer_of(check)); });
}

std::uint8_t messages_of(rule const& one) {
  unsigned messages = in_requests | in_responses;
  if (one.flow.direction == direction_need::to_server) messages = in_requests;
  if (one.flow.direction == direction_need::to_client) messages = in_responses;
  for (auto const& check : one.payload) {
    auto const buffer = buffer_of(check);
    if (is_http(buffer)) messages &= find_buffer(buffer)->messages;
  }
  return static_cast<std::uint8_t>(messages);
}

}  // namespace packetwarp::inspect
