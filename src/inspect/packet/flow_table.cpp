// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/packet/flow_table.h"

#include <algorithm>

#include "wire/tcp.h"

namespace packetwarp::inspect {
namespace {

[[nodiscard]] bool begins_connection(feature::packet_facts const& facts) {
  return facts.kind == feature::transport::tcp && feature::asks_for_connection(facts);
}

// The connection's stage after this packet.
[[nodiscard]] tcp_stage stage_after(tracked_flow& flow, feature::packet_facts const& facts, unsigned direction) {
  using namespace wire;
  unsigned const flags = facts.tcp_flags;
  bool const is_from_client = direction == flow.client;
  if ((flags & tcp_flag::rst) != 0) return tcp_stage::closed;
  if ((flags & tcp_flag::fin) != 0) flow.fins = static_cast<std::uint8_t>(flow.fins | 1U << direction);
  if (flow.fins == 3) return tcp_stage::closed;
  bool const has_syn = (flags & tcp_flag::syn) != 0;
  bool const has_ack = (flags & tcp_flag::ack) != 0;
  switch (flow.stage) {
    case tcp_stage::none:
      return has_syn && !has_ack && is_from_client ? tcp_stage::syn : tcp_stage::none;
    case tcp_stage::syn:
      return has_syn && has_ack && !is_from_client ? tcp_stage::syn_ack : tcp_stage::syn;
    case tcp_stage::syn_ack:
      return !has_syn && has_ack && is_from_client ? tcp_stage::established : tcp_stage::syn_ack;
    default:
      return flow.stage;
  }
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

std::uint64_t* flow_table::follow(feature::packet_facts const& facts, std::uint64_t epoch, inspected_packet& packet) {
  last_key_ = 0;
  bool const is_answer_of_another = facts.kind == feature::transport::icmp && facts.role == feature::icmp_role::error;
  if (facts.ip_version == 0 || is_answer_of_another) return nullptr;
  auto const keys = feature::keys_of(facts, key_);
  auto* const found = feature::find_or_insert(ref(), keys.flow, epoch);
  if (found == nullptr) return nullptr;
  feature::include(found->ways, std::uint64_t{1} << keys.direction);
  auto& flow = found->of(epoch).snapshot;
  auto const place = static_cast<std::size_t>(found - records_.data());
  auto* const bits = bits_.data() + place * words_;
  bool const is_reused = flow.stage == tcp_stage::closed && begins_connection(facts);
  last_is_new_ = flow.has_begun == 0 || is_reused;
  if (last_is_new_) {
    flow = {};
    flow.has_begun = 1;
    flow.client = static_cast<std::uint8_t>(keys.direction);
    std::fill(bits, bits + words_, 0);
  }
  bool const is_tcp = facts.kind == feature::transport::tcp;
  auto const way = static_cast<std::uint8_t>(1U << keys.direction);
  packet.has_flow = true;
  packet.is_to_server = keys.direction == flow.client;
  packet.begins_direction = (flow.seen & way) == 0;
  bool const was_established = flow.stage >= tcp_stage::established;
  flow.seen = static_cast<std::uint8_t>(flow.seen | way);
  if (is_tcp && facts.has_ports != 0) flow.stage = stage_after(flow, facts, keys.direction);
  bool const carries_data = flow.stage == tcp_stage::established && facts.payload != 0;
  packet.is_established = is_tcp ? was_established || carries_data : flow.seen == 3;
  last_key_ = keys.flow;
  last_flow_ = &flow;
  last_place_ = static_cast<std::uint32_t>(place);
  last_direction_ = static_cast<std::uint32_t>(keys.direction);
  return bits;
}

}  // namespace packetwarp::inspect
