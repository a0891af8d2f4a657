// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/packet/stream_table.h"

namespace packetwarp::inspect {
namespace {

[[nodiscard]] std::size_t waiting_of(tracked_stream const& one) {
  return one.sides[0].waiting() + one.sides[1].waiting();
}

}  // namespace

std::uint64_t stream_table::never_in_order() const {
  auto count = never_in_order_;
  for (auto const& [flow, one] : streams_) count += waiting_of(one);
  return count;
}

tracked_stream* stream_table::find(std::uint32_t flow) {
  auto const found = streams_.find(flow);
  if (found == streams_.end()) return nullptr;
  used_.splice(used_.begin(), used_, found->second.place);
  return &found->second;
}

tracked_stream& stream_table::begin(std::uint32_t flow) {
  drop(flow);
  if (streams_.size() >= most_) give_up_oldest();
  auto& made = streams_[flow];
  used_.push_front(flow);
  made.place = used_.begin();
  return made;
}

void stream_table::drop(std::uint32_t flow) {
  auto const found = streams_.find(flow);
  if (found == streams_.end()) return;
  bytes_ -= found->second.bytes;
  never_in_order_ += waiting_of(found->second);
  used_.erase(found->second.place);
  streams_.erase(found);
}

void stream_table::charge(tracked_stream& changed) {
  std::size_t bytes = sizeof(tracked_stream);
  for (unsigned i = 0; i < 2; ++i) bytes += changed.sides[i].bytes() + changed.http[i].bytes();
  bytes_ += bytes - changed.bytes;
  changed.bytes = bytes;
  while (bytes_ > most_bytes_ && used_.size() > 1) give_up_oldest();
}

void stream_table::give_up_oldest() {
  if (used_.empty()) return;
  ++given_up_;
  drop(used_.back());
}

}  // namespace packetwarp::inspect
