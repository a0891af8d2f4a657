// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash_key.h"
#include "feature/packet_facts.h"
#include "feature/packet_keys.h"
#include "feature/state_table.h"
#include "inspect/match/inspected_packet.h"
#include "inspect/packet/tcp_connection.h"
#include "inspect/stream/stream_table.h"

namespace packetwarp::inspect {

// The state of a flow. Zeroes: nothing yet.
struct tracked_flow {
  std::uint8_t has_begun;
  std::uint8_t client;  // direction from the client, the sender of the first packet
  std::uint8_t seen;    // bits: directions with packets
  tcp_stage stage;
  syn_state asked;
  std::uint8_t is_bypassed;  // by a rule: the flow's packets are not judged
  stream_seed stream;
};
struct no_adds {};
HOST_DEVICE constexpr void merge(tracked_flow&, no_adds const&, std::uint64_t) noexcept {}
HOST_DEVICE constexpr void age(tracked_flow&, std::uint64_t, std::uint64_t) noexcept {}

// The flows of packets that come one after the other: the table of the features' flows, with records of rules' state.
class flow_table {
 public:
  using record = feature::epoch_record<tracked_flow, no_adds>;

  // flowbits: of each flow. records: a power of two, 8 or more.
  flow_table(std::uint32_t records, std::uint32_t flowbits, hash_key const& key);

  // Finds or begins the packet's flow, follows it, and writes its facts to the packet. vlans: vlan_tags::number(): each
  // VLAN has flows of its own. The flow's bits; null if the packet belongs to no flow, or the table has no place.
  [[nodiscard]] std::uint64_t* follow(feature::packet_facts const& facts, std::uint64_t vlans, std::uint64_t epoch,
                                      inspected_packet& packet);

  // The last packet's flow: its place, whether the packet began it, its direction, and its record; only after follow()
  // has found one.
  [[nodiscard]] std::uint32_t last_place() const { return last_place_; }
  [[nodiscard]] bool last_is_new() const { return last_is_new_; }
  [[nodiscard]] std::uint32_t last_direction() const { return last_direction_; }
  [[nodiscard]] tracked_flow& last_flow() { return *last_flow_; }
  // The key of the last packet's flow; 0 without one.
  [[nodiscard]] std::uint64_t last_key() const { return last_key_; }
  [[nodiscard]] feature::table_counts const& counts() const { return counts_; }

 private:
  [[nodiscard]] feature::table_ref<record> ref();

  std::vector<std::uint64_t> keys_;
  std::vector<record> records_;
  std::vector<std::uint32_t> locks_;
  feature::table_counts counts_{};
  std::uint32_t words_;  // of bits, per flow
  std::vector<std::uint64_t> bits_;
  hash_key key_;
  std::uint64_t last_key_{};
  tracked_flow* last_flow_{};
  std::uint32_t last_place_{};
  std::uint32_t last_direction_{};
  bool last_is_new_{};
};

}  // namespace packetwarp::inspect
