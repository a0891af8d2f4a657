// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/packet/flow_table.h"

#include <algorithm>

#include "inspect/packet/tcp_connection.h"

namespace packetwarp::inspect {
namespace {

[[nodiscard]] tcp_connection connection_of(tracked_flow const& flow) {
  return {.stage = flow.stage, .asked = flow.asked, .client = flow.client};
}
void keep(tcp_connection const& now, tracked_flow& flow) {
  flow.stage = now.stage;
  flow.asked = now.asked;
  flow.client = static_cast<std::uint8_t>(now.client);
}

// The flow begins, or its connection does; what is known of its stream stays.
void begin(tracked_flow& flow, syn_answer answer, unsigned flags, std::uint32_t direction) {
  auto const stream = flow.stream;
  flow = {};
  flow.has_begun = 1;
  flow.stream = stream;
  keep(answer == syn_answer::of_connection ? tcp_connection::of_first(flags, direction)
                                           : tcp_connection::of_answer(answer, direction),
       flow);
}

// Writes to the packet what its rules ask about its flow.
void follow_packet(tracked_flow& flow, inspected_packet& packet, feature::packet_facts const& facts,
                   std::uint32_t direction) {
  bool const is_tcp = facts.kind == feature::transport::tcp;
  auto connection = connection_of(flow);
  bool const asks_anew = is_tcp && facts.has_ports != 0 && connection.is_asked_for_another(facts.tcp_flags);
  auto const way = static_cast<std::uint8_t>(1U << direction);
  packet.has_flow = true;
  packet.is_to_server = direction == flow.client || asks_anew;
  packet.begins_direction = (flow.seen & way) == 0 || asks_anew;
  bool const was_established = flow.stage >= tcp_stage::established && !asks_anew;
  flow.seen = static_cast<std::uint8_t>(flow.seen | way);
  if (is_tcp && facts.has_ports != 0) connection.follow(facts.tcp_flags, direction);
  keep(connection, flow);
  bool const carries_data = flow.stage == tcp_stage::established && facts.payload != 0;
  packet.is_established = is_tcp ? was_established || carries_data : flow.seen == 3;
}

}  // namespace

flow_table::flow_table(std::uint32_t records, std::uint32_t flowbits, hash_key const& key)
    : keys_(records),
      records_(records),
      locks_(records / feature::table_ref<record>::bucket_places),
      words_{(flowbits + 63) / 64},
      bits_(std::size_t{records} * words_),
      key_{key} {}

feature::table_ref<flow_table::record> flow_table::ref() {
  return {.keys = keys_.data(),
          .records = records_.data(),
          .locks = locks_.data(),
          .counts = &counts_,
          .bucket_mask = locks_.size() - 1};
}

std::uint64_t* flow_table::follow(feature::packet_facts const& facts, std::uint64_t vlans, std::uint64_t epoch,
                                  inspected_packet& packet) {
  last_key_ = 0;
  bool const is_answer_of_another = facts.kind == feature::transport::icmp && facts.role == feature::icmp_role::error;
  if (facts.ip_version == 0 || is_answer_of_another) return nullptr;
  auto keys = feature::keys_of(facts, key_);
  if (vlans != 0) keys.flow = feature::never_zero(mix(key_, keys.flow ^ vlans));
  auto* const found = feature::find_or_insert(ref(), keys.flow, epoch);
  if (found == nullptr) return nullptr;
  feature::include(found->ways, std::uint64_t{1} << keys.direction);
  auto& flow = found->snapshot(epoch);
  auto const place = static_cast<std::size_t>(found - records_.data());
  auto* const bits = bits_.data() + place * words_;
  bool const is_tcp = facts.kind == feature::transport::tcp && facts.has_ports != 0;
  auto const flags = is_tcp ? facts.tcp_flags : std::uint8_t{0};
  auto const direction = static_cast<std::uint32_t>(keys.direction);
  auto const answer = connection_of(flow).answer_of(flags, direction);
  bool const is_known = answer == syn_answer::of_another_unless_known && flow.stream.is_repeated_by(packet, direction);
  last_is_new_ = flow.has_begun == 0 || (answer != syn_answer::of_connection && !is_known);
  if (last_is_new_) std::fill(bits, bits + words_, 0);
  if (last_is_new_ || is_known) begin(flow, answer, flags, direction);
  if (last_is_new_) flow.stream.begin_anew();
  follow_packet(flow, packet, facts, direction);
  last_key_ = keys.flow;
  last_flow_ = &flow;
  last_place_ = static_cast<std::uint32_t>(place);
  last_direction_ = direction;
  return bits;
}

}  // namespace packetwarp::inspect
