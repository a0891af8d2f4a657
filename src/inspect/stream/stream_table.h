// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "inspect/http/http_reader.h"
#include "inspect/http/pending_requests.h"
#include "inspect/match/inspected_packet.h"
#include "inspect/stream/heard_connection.h"
#include "inspect/stream/segment_signs.h"
#include "inspect/stream/stream_side.h"

namespace packetwarp::inspect {

// Connections in the order in which they are given up for others: those of the first rank go first.
enum class stream_rank : std::uint8_t {
  half_open,  // one side alone has sent: a single forged packet suffices
  waiting,    // segments wait for bytes before them
  in_order
};
inline constexpr std::size_t stream_ranks = 3;

// The data of a SYN: whether the receiver has taken them is known later.
struct syn_data {
  std::uint32_t first;  // number of the first byte
  std::vector<std::byte> bytes;
};

// The fate of a segment. doubtful: its receiver discards it, as far as one knows.
enum class segment_receipt : std::uint8_t { taken, doubtful };

// Both directions of a TCP connection.
struct tracked_stream {
  std::array<stream_side, 2> sides{};
  std::array<http_reader, 2> http{http_reader{http_kind::request}, http_reader{http_kind::response}};
  pending_requests requests{};
  std::array<message_rules, 2> rules{};
  std::array<syn_data, 2> asked{};  // of each direction's last SYN that had data
  syn_data answered{};              // of the server's answer to a SYN
  std::uint32_t generation{};       // of the rules that `rules` and the sides' `found` name
  stream_rank rank{};
  std::size_t bytes{};  // as the table counts them
  std::list<std::uint32_t>::iterator place{};

  // Other rules judge the connection from now on: what earlier ones found of it begins anew.
  void be_judged_by(std::uint32_t other);
  // Nothing of its bytes is known.
  void begin_anew();
  // A direction begins with the data of its SYN up to this number, which the other side has acknowledged. Leaves none.
  void take(syn_data& data, std::uint32_t direction, std::uint32_t acknowledged);
};

// The facts of a connection that its stream begins with. Zeroes: none yet.
struct stream_seed {
  std::uint32_t first_numbers[2];  // of TCP: of each direction's first byte, as the answer to the SYN says
  std::uint8_t has_numbers;        // they are known
  std::uint8_t is_tls;
  std::uint8_t has_stream;  // the table has, or had, a place for it
  std::uint8_t fate;        // of all later packets of the connection, for a stage that drops; 0: they are judged
  heard_connection heard;   // with has_numbers; what SYNs have asked is there before

  // Another connection begins, with a SYN that came before or without one.
  void begin_anew() {
    heard_connection const before = heard;
    *this = {};
    for (unsigned side = 0; side < 2; ++side) heard.sides[side].asked = before.sides[side].asked;
  }

  // Whether the packet, which answers a SYN in this direction, says what is known.
  [[nodiscard]] bool is_repeated_by(inspected_packet const& packet, std::uint32_t direction) const {
    return has_numbers != 0 && first_numbers[direction] == packet.sequence + 1 &&
           first_numbers[1 - direction] == packet.acknowledgment;
  }
};

// The facts of a packet's flow that decide on its stream.
struct stream_flow {
  std::uint32_t place{};  // of the flow's record
  std::uint32_t direction{};
  bool is_new{};          // the packet begins the flow
  bool has_begun{};       // the connection's handshake has been seen
  bool is_two_way{};      // both sides have sent
  segment_signs signs{};  // of the packet
};

// The connections whose bytes are kept, within a bound. Beyond it the connection of the lowest rank that has been idle
// for the longest is given up for a new one. Without memory a call throws std::bad_alloc; the packet's connection can
// then only be dropped.
class stream_table {
 public:
  // most: connections; most_bytes: of all of them.
  stream_table(std::size_t most, std::size_t most_bytes) : most_{most}, most_bytes_{most_bytes} {}

  // Puts the packet's bytes into its connection, which begins if it has no place yet, and writes its stream to the
  // packet. Null: the packet brings nothing to a stream, or is inspected alone. seed: of the packet's flow, zeroes for
  // a new one. packet: of TCP, with a sound header.
  [[nodiscard]] tracked_stream* follow(stream_seed& seed, stream_flow const& flow, inspected_packet& packet,
                                       stream_counts& counts);
  // Whether the packet that was followed last acknowledges bytes of the other direction that were held.
  [[nodiscard]] bool has_acknowledged_held() const { return acknowledged_ != nullptr; }
  // Makes these bytes the stream of a packet of the other direction without payload. direction: of the acknowledgment.
  [[nodiscard]] tracked_stream& follow_held(std::uint32_t direction, inspected_packet& packet, stream_counts& counts);
  // At the end of all packets: the same for bytes of the direction that are still held. place: of the flow.
  [[nodiscard]] tracked_stream* follow_rest(std::uint32_t place, std::uint32_t direction, inspected_packet& packet,
                                            stream_counts& counts);
  // Counts the bytes of a connection that has changed, and gives up others beyond the bound.
  void charge(tracked_stream& changed, stream_counts& counts);
  // The flow's connection is over.
  void drop(std::uint32_t flow);

  [[nodiscard]] std::size_t size() const { return streams_.size(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  // Segments that waited for bytes before them until their connection was dropped, or still wait.
  [[nodiscard]] std::uint64_t never_in_order() const;

 private:
  // The flow's connection before is over.
  void begin_anew(stream_seed& seed, stream_flow const& flow, inspected_packet const& packet, stream_counts& counts);
  // The fate of a segment without SYN, from which its connection hears whatever the receiver heeds.
  [[nodiscard]] segment_receipt hear(stream_seed& seed, tracked_stream* stream, stream_flow const& flow,
                                     inspected_packet const& packet);
  // A segment without data, or a reset.
  [[nodiscard]] tracked_stream* follow_empty(tracked_stream& stream, stream_flow const& flow, segment_receipt receipt,
                                             inspected_packet& packet, stream_counts& counts);
  void follow_data(tracked_stream& stream, stream_seed& seed, stream_flow const& flow, segment_receipt receipt,
                   inspected_packet& packet, stream_counts& counts);
  [[nodiscard]] tracked_stream* follow_syn(stream_seed& seed, stream_flow const& flow, inspected_packet& packet,
                                           stream_counts& counts);
  // The first data of a SYN begin the stream until the server's answer says otherwise. Null: others are judged alone.
  [[nodiscard]] tracked_stream* begin_with_syn(tracked_stream& one, stream_seed const& seed, stream_flow const& flow,
                                               inspected_packet& packet, stream_counts& counts);
  // The server's answer acknowledges the data up to this number. seed: as before the answer.
  void take_syn(tracked_stream& of, stream_seed const& seed, std::uint32_t client, std::uint32_t taken);
  [[nodiscard]] tracked_stream* find(std::uint32_t flow);
  [[nodiscard]] tracked_stream& begin(std::uint32_t flow, stream_counts& counts);
  void use(tracked_stream& one, stream_rank rank);
  // Spares `kept`. False: there is no other connection.
  [[nodiscard]] bool give_up_first(tracked_stream const* kept);

  tracked_stream* acknowledged_{};  // with held bytes that the last packet acknowledges
  std::size_t most_;
  std::size_t most_bytes_;
  std::size_t bytes_{};
  std::uint64_t never_in_order_{};
  std::array<std::list<std::uint32_t>, stream_ranks> used_;  // by rank: the last used first
  std::unordered_map<std::uint32_t, tracked_stream> streams_;
};

}  // namespace packetwarp::inspect
