// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "inspect/match/inspected_packet.h"
#include "inspect/stream/segment_signs.h"

namespace packetwarp::inspect {

// The offers of a SYN without ACK. Zeroes: there was none.
struct asked_syn {
  std::uint32_t number;       // the one after it
  std::uint32_t earliest_at;  // TSval of all SYNs with this number
  std::uint32_t latest_at;
  std::uint16_t window;
  std::uint8_t is_known;
  std::uint8_t scale;
  std::uint8_t has_scale;
  std::uint8_t has_times;
};

// Facts that a side's segments have told the other side, by which this one discards later ones. Zeroes: nothing yet.
struct heard_side {
  std::uint32_t sent;                // the number after the last byte that the side has sent, SYN and FIN included
  std::uint32_t acknowledged;        // the highest number that it has acknowledged
  std::uint32_t first;               // the number of its first byte
  std::uint32_t acknowledged_bytes;  // since the connection's begin, up to the largest window
  std::uint32_t window;              // the largest one that it has offered
  std::uint32_t edge;                // the other side may send up to this number
  std::uint32_t recent;              // the other side's TS.Recent (RFC 7323, 4.3) at the least
  std::uint32_t latest;              // TSval at the most; not before `recent`
  asked_syn asked;
  std::uint16_t last_window;  // as it stands in its last segment
  std::uint8_t scale;         // of its windows
};

// A connection as both of its sides hear it: which segments a receiver discards, as Linux does. Zeroes: nothing yet. A
// segment that the receiver discards tells it nothing, so it must not change what is known here.
struct heard_connection {
  heard_side sides[2];
  std::uint8_t has_times;  // both sides have agreed on timestamps

  // A SYN without ACK, which may be one of several.
  void ask(std::uint32_t direction, inspected_packet const& syn, segment_signs const& signs);
  // The SYN with ACK that begins the connection.
  void begin(std::uint32_t direction, inspected_packet const& answer, segment_signs const& signs);

  // Whether the other side discards the segment, as far as one knows. The segment has ACK, and neither SYN nor RST.
  // next: the number of the next byte in the direction's stream.
  [[nodiscard]] bool doubts(std::uint32_t direction, inspected_packet const& packet, segment_signs const& signs,
                            std::uint32_t next) const;
  // The side has sent the segment, whether the other one takes it or not.
  void note_sent(std::uint32_t direction, inspected_packet const& packet);
  // The other side hears a segment that it does not discard.
  void hear(std::uint32_t direction, inspected_packet const& packet, segment_signs const& signs, std::uint32_t next);

 private:
  // Whether Linux takes the segment's data by its prediction, which does not compare old acknowledgments.
  [[nodiscard]] bool is_predicted(std::uint32_t direction, inspected_packet const& packet, segment_signs const& signs,
                                  std::uint32_t next) const;
};

}  // namespace packetwarp::inspect
