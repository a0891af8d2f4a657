// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/host_device.h"
#include "inspect/language/interval_set.h"

namespace packetwarp::inspect {

// A rule of Suricata's language as plain values (docs/functions/inspect.md).

// Checks of payload per rule: the matcher's stack has a place for each.
inline constexpr std::uint32_t most_checks = 64;

enum class rule_action : std::uint8_t { alert, drop, reject, pass };
enum class rule_protocol : std::uint8_t { ip, tcp, udp, icmp, http, dns, tls };
// The bytes that a keyword looks at.
enum class rule_buffer : std::uint8_t {
  payload,
  http_method,  // the buffers of HTTP lie side by side: http_bit()
  http_uri,
  http_uri_raw,
  http_host,
  http_host_dotted,  // the same with a dot before it: dotprefix
  http_host_raw,
  http_user_agent,
  http_header,
  http_header_raw,
  http_header_names,
  http_cookie,
  http_request_line,
  http_request_body,
  http_referer,
  http_accept,
  http_accept_enc,
  http_accept_lang,
  http_connection,
  http_content_type,
  http_content_len,
  http_protocol,
  http_start,
  http_stat_code,
  http_stat_msg,
  http_response_line,
  http_response_body,
  http_location,
  http_server,
  dns_query,
  dns_query_dotted,  // the same with a dot before it: dotprefix
  tls_sni,
  tls_sni_dotted,
  unread  // a buffer that the language leaves out
};

inline constexpr std::uint32_t http_buffers =
    static_cast<std::uint32_t>(rule_buffer::dns_query) - static_cast<std::uint32_t>(rule_buffer::http_method);
[[nodiscard]] constexpr bool is_http(rule_buffer buffer) noexcept {
  return buffer >= rule_buffer::http_method && buffer < rule_buffer::dns_query;
}
// 0 for http_method, and so on.
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t http_number(rule_buffer buffer) noexcept {
  return static_cast<std::uint32_t>(buffer) - static_cast<std::uint32_t>(rule_buffer::http_method);
}
[[nodiscard]] constexpr rule_buffer http_buffer(std::uint32_t number) noexcept {
  return static_cast<rule_buffer>(static_cast<std::uint32_t>(rule_buffer::http_method) + number);
}
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t http_bit(rule_buffer buffer) noexcept {
  return std::uint32_t{1} << http_number(buffer);
}
static_assert(http_buffers <= 32);

struct content_check {
  std::string bytes{};
  rule_buffer where{};
  bool is_negated{};
  bool ignores_case{};
  bool at_start{};
  bool at_end{};
  bool is_fast_pattern{};
  std::optional<std::int32_t> offset{};
  std::optional<std::int32_t> depth{};
  std::optional<std::int32_t> distance{};
  std::optional<std::int32_t> within{};
  // fast_pattern:FIRST,LENGTH: the piece that the prefilter searches.
  std::uint16_t fast_first{};
  std::uint16_t fast_length{};  // 0: all

  [[nodiscard]] bool is_relative() const { return distance || within; }
};

struct regex_check {
  std::string pattern{};
  std::string modifiers{};  // the letters that say how it matches: imsxAEG
  rule_buffer where{};
  bool is_negated{};
  bool is_relative{};
};

// The base of a number of text whose first digits choose it: 0x, 0, or others.
inline constexpr std::uint8_t any_base = 1;

// A number in a buffer.
struct byte_source {
  std::int32_t offset{};
  std::uint32_t mask{0xffff'ffff};
  std::uint8_t bytes{};  // 1 to 8; as text to 23
  std::uint8_t base{};   // 8, 10, 16, any_base: the number is text; 0: it is binary
  bool is_relative{};
  bool is_little_endian{};
  bool is_masked{};
};

enum class byte_operator : std::uint8_t { less, greater, equal, bit_and, bit_xor, at_most, at_least };

struct byte_test_check {
  byte_source from{};
  std::uint64_t value{};
  rule_buffer where{};
  byte_operator how{};
  bool is_negated{};
};

enum class jump_origin : std::uint8_t { after_number, beginning, end };

struct byte_jump_check {
  byte_source from{};
  std::uint32_t multiplier{1};
  std::int32_t post_offset{};
  rule_buffer where{};
  jump_origin origin{};
  bool is_aligned{};  // to the next multiple of four
};

struct data_at_check {
  std::uint32_t bytes{};
  rule_buffer where{};
  bool is_relative{};
  bool is_negated{};
};

// A test of a number; the bounds of a range are outside of it, as in Suricata.
enum class number_relation : std::uint8_t { equal, unequal, less, greater, at_most, at_least, between };
struct number_test {
  number_relation relation{};
  std::uint32_t value{};
  std::uint32_t upper{};  // of between
  friend bool operator==(number_test const&, number_test const&) = default;
};

// The size of a buffer.
struct size_check {
  number_test size{};
  rule_buffer where{};
};

using payload_check =
    std::variant<content_check, regex_check, byte_test_check, byte_jump_check, data_at_check, size_check>;

// A test of a number in the packet's headers.
enum class header_field : std::uint8_t { payload_size, ttl, icmp_type, icmp_code };
struct header_check {
  header_field field{};
  number_test number{};
  friend bool operator==(header_check const&, header_check const&) = default;
};

enum class flags_relation : std::uint8_t { exactly, all, any, not_all };
struct flags_check {
  flags_relation relation{};
  std::uint8_t flags{};
  std::uint8_t ignored{};
};

enum class direction_need : std::uint8_t { any, to_server, to_client };
enum class connection_need : std::uint8_t { any, established, not_established };
enum class stream_need : std::uint8_t { any, only_stream, no_stream };
enum class fragment_need : std::uint8_t { any, no_fragment, only_fragment };
struct flow_check {
  direction_need direction{};
  connection_need connection{};
  stream_need stream{};
  fragment_need fragment{};
  bool is_given{};  // the keyword, also with `stateless` alone
  friend bool operator==(flow_check const&, flow_check const&) = default;
};

enum class flowbit_operation : std::uint8_t { set, unset, toggle, is_set, is_not_set };
struct flowbit_use {
  flowbit_operation what{};
  std::vector<std::string> names{};  // is_set, is_not_set: one of them is enough
};

enum class rate_kind : std::uint8_t { limit, threshold, both, detection_filter };
enum class rate_track : std::uint8_t { by_source, by_destination, by_both, by_rule, by_flow };
struct rate_limit {
  rate_kind kind{};
  rate_track track{};
  std::uint32_t count{};
  std::uint32_t seconds{};
};

// A reason why a rule is not usable.
enum class gap_kind : std::uint8_t {
  not_in_language,  // the keyword is not read
  not_inspected     // it is read, and packets are not yet inspected for it
};
struct gap {
  std::string keyword{};
  gap_kind kind{};
  std::size_t column{};
  std::size_t line{};
};

struct rule {
  std::uint32_t file{};  // number in rule_set::files
  std::size_t line{};

  rule_action action{};
  rule_protocol protocol{};
  std::uint8_t ip_version{};    // 0: both
  bool is_bidirectional{};      // <>
  bool needs_packet_payload{};  // tcp-pkt: never in a stream
  std::uint32_t source{};       // numbers in rule_set::addresses and rule_set::ports
  std::uint32_t destination{};
  std::uint32_t source_port{};
  std::uint32_t destination_port{};
  bool names_ports{};  // one of the two is not the word `any`: packets without ports do not match

  std::string message{};
  std::string classtype{};
  std::uint32_t sid{};
  std::uint32_t gid{1};
  std::uint32_t revision{};
  std::optional<std::uint32_t> priority{};
  std::vector<std::string> references{};
  std::vector<std::string> metadata{};

  std::vector<payload_check> payload{};
  std::vector<header_check> header{};
  std::vector<flags_check> flags{};
  flow_check flow{};
  bool is_stateless{};  // flow:stateless, which asks for nothing
  std::vector<flowbit_use> flowbits{};
  std::vector<rate_limit> rates{};
  bool is_silent{};  // noalert
  bool bypasses{};   // bypass

  std::vector<gap> gaps{};  // empty: the rule is usable
};

}  // namespace packetwarp::inspect
