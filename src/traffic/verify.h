// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "traffic/sequence_window.h"
#include "traffic/streams/stream.h"

namespace packetwarp::traffic {

// The change that the device under test makes to packets.
enum class transform : std::uint8_t {
  same,
  mac_swapped,
  payload_swapped  // and the payload's first six bytes with the next six, if it has them
};

// How closely received packets are checked: only their signature, or every byte.
enum class content_check : std::uint8_t { signature, every_byte };

// Counts of packets. Counts of several verifiers (one per receive queue) add up.
struct verify_counts {
  std::uint64_t received{};    // with the stream's signature, duplicates and corrupted ones included
  std::uint64_t bytes{};       // of the received, in memory
  std::uint64_t duplicates{};  // index seen before, not counted as reordered
  std::uint64_t late{};        // further back than the window: first or duplicate cannot be told
  std::uint64_t reordered{};   // index below the highest of its flow so far (RFC 4737, 3.3)
  std::uint64_t corrupted{};   // valid signature, but some byte or the length is not what was sent and transformed
  std::uint64_t unknown{};     // no signature of this stream, nor included in any count above

  // Lost of `sent` packets; never below 0. Exact while `late` is 0, else too high by up to `late`.
  [[nodiscard]] std::uint64_t lost(std::uint64_t sent) const {
    std::uint64_t const arrived = received - duplicates - late;
    return sent > arrived ? sent - arrived : 0;
  }
  verify_counts& operator+=(verify_counts const& more);
  friend bool operator==(verify_counts const&, verify_counts const&) = default;
};

// Judges the packets of one stream as they come in. Memory is bounded: the window's bits, 8 bytes per flow, one frame.
// Order is judged for the first `most_ordered_flows` flows only; packets of other flows are never counted as reordered.
// For one thread at a time. If several queues receive one stream, each has a verifier of its own, which sees duplicates
// within the queue only.
class verifier {
 public:
  static constexpr std::uint64_t most_ordered_flows = std::uint64_t{1} << 20;

  // `sent` must outlive the verifier and carry signatures (else usage_error).
  verifier(stream const& sent, transform expected, content_check depth,
           std::uint64_t window = sequence_window::default_size);

  // Judges a packet, without its frame check sequence, that was received at `now` in the sender's ticks. The latency of
  // every packet of the stream, except duplicates and late ones, goes to `latency_sink(ticks)`. Neither allocates nor
  // throws.
  template <class LatencySink>
  void receive(std::span<std::byte const> frame, std::uint64_t now, LatencySink&& latency_sink) {
    signature seen;
    if (judge(frame, seen)) latency_sink(ticks_between(seen.ticks, now));
  }

  [[nodiscard]] verify_counts const& counts() const { return counts_; }

 private:
  // Counts the packet; true if its latency counts, and then `seen` is its signature.
  [[nodiscard]] bool judge(std::span<std::byte const> frame, signature& seen);
  [[nodiscard]] bool is_intact(std::span<std::byte const> frame, signature const& seen);
  void check_order(std::uint64_t index);

  stream const& sent_;
  transform expected_;
  content_check depth_;
  sequence_window window_;
  std::vector<std::uint64_t> next_in_flow_;  // one past the highest index of each flow
  std::vector<std::byte> scratch_;
  verify_counts counts_;
};

}  // namespace packetwarp::traffic
