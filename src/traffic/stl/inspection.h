// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "traffic/judge.h"
#include "traffic/result.h"
#include "traffic/stl/program.h"

namespace packetwarp::traffic::stl {

// The checks of a program's packets when they come back. Their bytes are the profile's from end to end, so only
// properties are checked that hold for every packet when it is sent.
enum class inspection : std::uint8_t {
  number,    // only the number of packets
  headers,   // also that headers make sense, and that an IPv4 header's checksum is right
  checksums  // also the checksum of UDP, TCP or ICMP
};

// The deepest inspection that holds for all streams: a stream that writes bytes under a checksum and does not fix the
// checksum allows less.
[[nodiscard]] inspection deepest_inspection(program const& of);

[[nodiscard]] constexpr verification verification_of(inspection depth) {
  if (depth == inspection::number) return verification::counted;
  return depth == inspection::headers ? verification::headers : verification::checksums;
}

// Whether a frame passes.
[[nodiscard]] bool passes(std::span<std::byte const> frame, inspection depth);

// For a program's packets: counts them, and counts as corrupted the packets that do not pass. A packet_judge.
class inspecting_judge {
 public:
  explicit inspecting_judge(inspection depth) : depth_{depth} {}

  bool receive(std::span<std::byte const> frame, std::uint64_t /*now*/, telemetry::histogram& /*latency*/) {
    ++counts_.received;
    counts_.bytes += frame.size();
    if (!passes(frame, depth_)) ++counts_.corrupted;
    return true;
  }
  void publish() { published_.publish(counts_); }
  [[nodiscard]] verify_counts counts(std::size_t n) const { return n == 0 ? published_.read() : verify_counts{}; }
  [[nodiscard]] std::uint64_t unknown() const { return 0; }
  [[nodiscard]] verify_counts settled(std::size_t n, std::uint64_t /*sent*/) const { return counts(n); }

 private:
  inspection depth_;
  verify_counts counts_;
  published_counts published_;
};

}  // namespace packetwarp::traffic::stl
