// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/hash_key.h"
#include "inspect/compiled/compile.h"
#include "inspect/language/regex.h"
#include "inspect/match/inspected_packet.h"
#include "inspect/packet/asked_name.h"
#include "inspect/packet/flow_table.h"
#include "inspect/packet/fragment_table.h"
#include "inspect/packet/packet_judge.h"
#include "inspect/packet/rate_table.h"
#include "inspect/packet/read_packet.h"
#include "inspect/stream/stream_table.h"
#include "wire/right_checksums.h"

namespace packetwarp::inspect {

struct inspect_counts {
  std::uint64_t packets{};
  std::uint64_t without_ip{};  // no sound IP header: not inspected
  std::uint64_t fragments{};   // inspected by the IP header only; their datagram is inspected once it is complete
  std::uint64_t unread_extensions{};  // more extension headers of IPv6 than are walked, or cut: by the IP header only
  std::uint64_t cut_short{};          // recorded in part: inspected as far as it goes
  std::uint64_t without_flow{};       // no place in the table of flows: inspected without state
  std::uint64_t wrong_checksums{};    // inspected alone: of no flow
  std::uint64_t bypassed{};           // packets of flows that a rule has bypassed: not judged
  std::uint64_t flows_bypassed{};
};

struct rule_counts {
  std::uint64_t matches{};
  std::uint64_t alerts{};  // without those that noalert or a threshold kept back
};

struct inspect_alert {
  std::uint32_t rule{};  // number in rule_set::rules
  inspected_packet packet{};
  std::uint8_t protocol{};  // of the IP header
  std::uint64_t flow{};     // key; 0: none
  std::uint64_t time{};     // nanoseconds
  std::uint64_t number{};   // of the packet, from 1
  vlan_tags vlans{};
};

// Records of its tables. flows: a power of two, 8 or more.
struct inspector_sizes {
  std::uint32_t flows{131'072};
  std::size_t rates{65'536};
  std::size_t streams{16'384};                       // TCP connections whose bytes are carried
  std::size_t stream_bytes{std::size_t{256} << 20};  // of all of them
  wire::checksum_handling checksums{};
};

// Inspects packets one after the other, on one thread of a CPU.
class inspector {
 public:
  // rules: stays alive. count: of the rules in rule_set::rules.
  inspector(ruleset const& rules, std::size_t count, hash_key const& key, inspector_sizes sizes = {});

  // An Ethernet frame of `length` bytes, of which these were recorded. The alerts are valid until the next one.
  [[nodiscard]] std::vector<inspect_alert> const& inspect(std::span<std::byte const> frame, std::uint32_t length,
                                                          std::uint64_t nanoseconds);

  // No packet follows: what is held of segments that a receiver may discard is judged. Once.
  [[nodiscard]] std::vector<inspect_alert> const& finish();

  [[nodiscard]] inspect_counts const& counts() const { return counts_; }
  [[nodiscard]] std::vector<rule_counts> const& by_rule() const { return by_rule_; }
  [[nodiscard]] std::uint64_t regexes_out_of_bound() const { return regexes_.out_of_bound(); }
  [[nodiscard]] std::uint64_t rates_without_place() const { return rates_.without_place(); }
  [[nodiscard]] stream_counts const& segments() const { return segments_; }
  [[nodiscard]] judge_counts const& judged() const { return judge_.counts(); }
  [[nodiscard]] fragment_table const& fragments() const { return fragments_; }
  [[nodiscard]] stream_table const& streams() const { return streams_; }

 private:
  enum class frame_origin : std::uint8_t { received, put_together };  // the latter out of fragments
  void inspect_frame(std::span<std::byte const> frame, std::uint32_t length, std::uint64_t nanoseconds,
                     frame_origin origin);
  // A segment of the last flow. Bytes that were held and that it acknowledges are judged, too, as a packet of the other
  // direction.
  void inspect_segment(inspect_alert& of, std::uint64_t* bits, segment_signs const& signs);
  // Notes the last segment of the direction that is held.
  void note_held(inspect_alert const& of, std::uint64_t* bits, tracked_stream const* stream);
  // Bytes of the stream, by the rules that look at streams.
  void judge_bytes(inspect_alert& of, std::uint64_t* bits, std::uint32_t direction, tracked_stream& stream);
  // of: without the rule.
  void judge(inspect_alert& of, std::uint64_t* bits, std::uint32_t direction, tracked_stream* stream);
  class receiver final : public match_receiver {
   public:
    // bits: the flow's; null without one.
    receiver(inspector& to, inspect_alert const& of, std::uint64_t* bits) : inspector_{to}, of_{of}, bits_{bits} {}
    void take(compiled_rule const& rule) override;

   private:
    inspector& inspector_;
    inspect_alert of_;
    std::uint64_t* bits_;
  };

  void report(compiled_rule const& rule, inspect_alert of);
  // The flow of the last packet.
  void bypass();

  [[nodiscard]] bool is_wrong(std::span<std::byte const> frame, std::uint32_t length) const {
    return checksums_ == wire::checksum_handling::verify && !wire::has_right_checksums(frame, {}, length);
  }

  ruleset_ref rules_;
  wire::checksum_handling checksums_;
  regex_library regexes_;
  fragment_table fragments_;
  flow_table flows_;
  stream_table streams_;
  stream_counts segments_{};
  rate_table rates_;
  inspect_counts counts_{};
  std::vector<rule_counts> by_rule_;
  packet_judge judge_;
  std::vector<inspect_alert> alerts_;
  struct held_direction {
    inspect_alert of;  // its last segment that is held
    std::uint64_t* bits;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, held_direction> held_;  // by the flow's place and the direction
  asked_name name_{};
  std::uint64_t begin_{};  // time of the first packet
  std::uint64_t epoch_{1};
};

}  // namespace packetwarp::inspect
