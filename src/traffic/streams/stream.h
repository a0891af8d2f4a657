// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "traffic/streams/pattern.h"
#include "traffic/streams/signature.h"
#include "traffic/streams/size_mix.h"
#include "traffic/streams/template.h"
#include "wire/layers.h"

namespace packetwarp::traffic {

// Whether packets carry a signature; without one only their number can be verified.
enum class signing : std::uint8_t { off, on };

// The traffic to send, as passive data.
struct stream_config {
  packet_template description;
  pattern flows;
  size_mix sizes{{{frame_size{64}, 1}}};
  signing signatures{signing::on};
  std::uint64_t seed{1};  // of random values
  signature_key key{1};   // the same for all streams of a run
  std::uint8_t number{};  // by which the receiver identifies the stream
};

// The packets of a stream: packet number `index` is a function of the config and the index alone, so the receiver knows
// the content of every packet. Immutable; any number of threads may use one.
class stream {
 public:
  // Throws usage_error for a pattern field that the template does not have, or a size that is too small for the headers
  // (and the signature); the line names a sufficient size and says that signatures can be left out.
  explicit stream(stream_config config);

  // Bytes in memory of packet number `index`, without the frame check sequence.
  [[nodiscard]] std::uint16_t length(std::uint64_t index) const { return frame_of(index).length; }

  // The most of all packets.
  [[nodiscard]] std::uint16_t largest_length() const { return largest_length_; }

  // Writes length(index) bytes to `frame`, which must have room for them, with right checksums. `ticks` goes into the
  // signature. Costs one copy of the frame and a few instructions per field: checksums are updated (RFC 1624).
  void write(std::uint64_t index, std::uint64_t ticks, std::byte* frame) const;

  // The flow that packet number `index` belongs to, from 0 to flows() - 1.
  [[nodiscard]] std::uint64_t flow_of(std::uint64_t index) const { return flows_ == 1 ? 0 : index % flows_; }
  [[nodiscard]] std::uint64_t flows() const { return flows_; }

  [[nodiscard]] signature_key key() const { return config_.key; }
  [[nodiscard]] stream_config const& config() const { return config_; }

 private:
  // A frame of one size for the first flow, with a signature of zero.
  struct prototype {
    std::vector<std::byte> bytes;
    std::uint16_t length{};
    std::uint16_t checksum_at{};      // of the transport header
    std::uint16_t signature_at{};     // 0 without signatures
    std::uint8_t signature_is_odd{};  // whether it starts at an odd offset of the summed bytes
  };

  [[nodiscard]] prototype make_prototype(frame_size size) const;
  [[nodiscard]] prototype const& frame_of(std::uint64_t index) const {
    return prototypes_[config_.sizes.share_at(index)];
  }

  stream_config config_;
  std::uint64_t flows_;
  std::vector<bound_range> ranges_;
  std::vector<prototype> prototypes_;  // in the order of the size mix's shares
  std::uint16_t ip_checksum_at_{};     // 0 for IPv6, which has none
  std::uint16_t largest_length_{};
};

}  // namespace packetwarp::traffic
