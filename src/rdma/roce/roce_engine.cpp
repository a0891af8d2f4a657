// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/roce/roce_engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace packetwarp::rdma::roce {
namespace {

// Frames of a connection before the next one's: its writes lie side by side in memory.
constexpr std::uint32_t most_in_a_row = 16;

}  // namespace

void roce_engine::add(connection_settings const& settings, request_source const& source) {
  if (!is_possible_mtu(settings.how.mtu))
    throw usage_error(
        fmt::format("rdma: an MTU of {} is not possible; give 256, 512, 1024, 2048 or 4096", settings.how.mtu));
  if (!of_number_.emplace(settings.local_number, connections_.size()).second)
    throw usage_error(fmt::format("rdma: queue number {:#x} is in use", settings.local_number));
  connections_.emplace_back(settings, source);
  largest_mtu_ = std::max(largest_mtu_, settings.how.mtu);
}

void roce_engine::serve(std::uint64_t now) {
  for (auto& one : connections_) one.serve(regions_, now);
}

void roce_engine::take(std::span<std::byte const> frame, std::uint64_t now) {
  ++own_.frames;
  auto const found = read_frame(frame.data(), frame.size());
  if (found.result != frame_result::ok) {
    ++counter_of(found.result);
    return;
  }
  auto* const known = connection_of(found.fields.queue_number);
  if (known == nullptr) {
    ++own_.of_no_queue;
    return;
  }
  auto& taker = *known;
  if (!is_of_default_partition(found.fields)) {
    ++own_.of_no_partition;
  } else if (!taker.is_from_peer(found)) {
    ++own_.of_no_peer;
  } else if (!taker.takes(found.fields.code)) {
    ++own_.of_no_responder;
  } else {
    taker.take(found, regions_, now);
  }
}

std::uint64_t& roce_engine::counter_of(frame_result dropped) {
  switch (dropped) {
    case frame_result::malformed:
      return own_.malformed;
    case frame_result::another_type:
      return own_.of_another_type;
    case frame_result::bad_icrc:
      return own_.bad_icrc;
    default:
      return own_.other_frames;
  }
}

// Numbers in a row, as an endpoint's, are found without the table.
connection* roce_engine::connection_of(std::uint32_t number) {
  if (connections_.empty()) return nullptr;
  auto const likely = std::size_t{number} - connections_.front().settings().local_number;
  if (likely < connections_.size() && connections_[likely].settings().local_number == number)
    return &connections_[likely];
  auto const found = of_number_.find(number);
  return found == of_number_.end() ? nullptr : &connections_[found->second];
}

bool roce_engine::next_frame(std::uint64_t now, frame_plan& into) {
  // The loop has a step more than there are connections: the first connection may have sent most_in_a_row already.
  for (std::size_t n = 0; n <= connections_.size() && !connections_.empty(); ++n) {
    if (in_a_row_++ < most_in_a_row && connections_[turn_].next(now, into)) return true;
    in_a_row_ = 0;
    turn_ = turn_ + 1 == connections_.size() ? 0 : turn_ + 1;
  }
  return false;
}

std::size_t roce_engine::make_frame(std::span<std::byte> room, std::uint64_t now) {
  frame_plan plan;
  if (!next_frame(now, plan)) return 0;
  write_frame(room.data(), plan.path, plan.fields, plan.payload, plan.bytes);
  return plan.length();
}

bool roce_engine::is_idle() const {
  return std::all_of(connections_.begin(), connections_.end(), [](auto const& one) { return one.is_idle(); });
}

roce_counters roce_engine::counters() const {
  auto sum = own_;
  for (auto const& one : connections_) {
    sum.queues.add(one.queue());
    sum.sent.add(one.sent());
    sum.received.add(one.received());
    sum.answers.acknowledgements += one.answers().acknowledgements;
    sum.answers.sequence_naks += one.answers().sequence_naks;
    sum.answers.other_naks += one.answers().other_naks;
  }
  return sum;
}

}  // namespace packetwarp::rdma::roce
