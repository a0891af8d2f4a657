// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0

#include "traffic/verify.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "traffic/streams/neighbours.h"
#include "wire/ethernet.h"

namespace packetwarp::traffic {

verify_counts& verify_counts::operator+=(verify_counts const& more) {
  received += more.received;
  bytes += more.bytes;
  duplicates += more.duplicates;
  late += more.late;
  reordered += more.reordered;
  corrupted += more.corrupted;
  unknown += more.unknown;
  return *this;
}

verifier::verifier(stream const& sent, transform expected, content_check depth, std::uint64_t window)
    : sent_{sent},
      expected_{expected},
      depth_{depth},
      window_{window},
      next_in_flow_(std::min(sent.flows(), most_ordered_flows)),
      scratch_(sent.largest_length()) {
  if (sent.config().signatures == signing::off) {
    throw usage_error{"packets without signatures cannot be verified, only counted"};
  }
}

bool verifier::judge(std::span<std::byte const> frame, signature& seen) {
  auto const found = frame.size() < signature_length
                         ? std::nullopt
                         : read_signature(frame.data() + frame.size() - signature_length, sent_.key());
  if (!found || found->stream != sent_.config().number) {
    counts_.unknown += is_of_neighbours(frame) ? 0U : 1U;
    return false;
  }
  seen = *found;
  ++counts_.received;
  counts_.bytes += frame.size();
  if (depth_ == content_check::every_byte && !is_intact(frame, seen)) ++counts_.corrupted;
  switch (window_.mark(seen.index)) {
    case arrival::duplicate:
      ++counts_.duplicates;
      return false;
    case arrival::late:
      ++counts_.late;
      check_order(seen.index);
      return false;
    case arrival::first:
      check_order(seen.index);
      return true;
  }
  return false;
}

bool verifier::is_intact(std::span<std::byte const> frame, signature const& seen) {
  if (frame.size() != sent_.length(seen.index)) return false;
  sent_.write(seen.index, seen.ticks, scratch_.data());
  if (expected_ != transform::same) wire::ethernet_view{scratch_.data()}.swap_addresses();
  return std::memcmp(frame.data(), scratch_.data(), frame.size()) == 0;
}

void verifier::check_order(std::uint64_t index) {
  std::uint64_t const flow = sent_.flow_of(index);
  if (flow >= next_in_flow_.size()) return;
  std::uint64_t& next = next_in_flow_[flow];
  if (index < next) {
    ++counts_.reordered;
  } else {
    next = index + 1;
  }
}

}  // namespace packetwarp::traffic
