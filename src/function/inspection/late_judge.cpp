// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/inspection/late_judge.h"

#include <utility>

#include "function/inspection/group/asked_names.h"
#include "inspect/http/head.h"
#include "inspect/match/payload.h"

namespace packetwarp {
namespace {

[[nodiscard]] inspect::inspected_packet packet_of_record(inspection_parts::late_packet const& seen) {
  constexpr std::uint8_t tcp = 6;
  constexpr std::uint8_t udp = 17;
  inspect::inspected_packet made;
  made.payload = seen.text + seen.payload_at;
  made.payload_size = seen.payload_size;
  made.is_in_stream = seen.stream != inspection_parts::late_stream::none;
  made.has_whole_stream = seen.stream == inspection_parts::late_stream::whole;
  if (made.is_in_stream) {
    made.stream = {seen.text + seen.stream_at, seen.stream_size};
    made.carried = seen.carried;
    made.ahead = seen.ahead;
  }
  made.source_port = seen.what.source_port;
  made.destination_port = seen.what.destination_port;
  if (seen.what.protocol == tcp) made.kind = inspect::packet_kind::tcp;
  if (seen.what.protocol == udp) made.kind = inspect::packet_kind::udp;
  return made;
}

}  // namespace

void late_judge::prepare(std::size_t set, inspect::ruleset_ref rules, std::unique_ptr<inspect::regex_library> engine) {
  sets_[set] = {.rules = rules, .engine = std::move(engine)};
}

inspect::http_message const& late_judge::read_message(inspection_parts::late_packet const& seen,
                                                      inspect::http_message& into) {
  bool const is_to_server = (seen.what.flags & inspection_parts::alert_flag::to_server) != 0;
  auto const kind = is_to_server ? inspect::http_kind::request : inspect::http_kind::response;
  forms_.resize(inspect::room_for_head(inspection_parts::late_packet::most));
  (void)inspect::read_head({seen.text + seen.payload_at, seen.payload_size}, kind, forms_.data(),
                           static_cast<std::uint32_t>(forms_.size()), into);
  return into;
}

bool late_judge::matches(inspection_parts::late_packet const& seen) {
  auto& of = sets_[seen.what.flags & inspection_parts::alert_flag::second_set];
  auto packet = packet_of_record(seen);
  inspection_parts::asked_names name;
  (void)name.read(packet);
  inspect::http_message message;
  if (of.rules.rule(seen.place).http_buffers != 0) packet.http = &read_message(seen, message);
  inspect::search_budget budget{packet.payload_size + packet.stream.size};
  auto const found = inspect::matches_payload(
      of.rules, of.rules.rule(seen.place), packet, budget,
      [&of](std::uint32_t number, std::byte const* text, std::uint32_t size, std::uint32_t& begin, std::uint32_t& end) {
        return of.engine->match(number, text, size, begin, end);
      });
  return found == inspect::chain_result::match;
}

}  // namespace packetwarp
