// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/question/answer_judge.h"

#include <algorithm>
#include <cstring>

#include "traffic/streams/neighbours.h"
#include "traffic/streams/signature.h"
#include "wire/answer.h"
#include "wire/parse.h"

namespace packetwarp::traffic {
namespace {

// Frames that are shorter are padded by NICs.
constexpr std::size_t shortest_on_wire = 60;

// The score less the threshold that an answer tells, or that its class stands for.
[[nodiscard]] std::int32_t excess_of(std::span<std::byte const> frame, wire::layers const& found, packet_class called) {
  auto const at = wire::answer_record_at(found, frame.size());
  if (at == 0) return called == packet_class::anomalous ? 1 : 0;
  return static_cast<std::int32_t>(wire::load_be<std::uint32_t>(frame.data() + at + sizeof(std::uint32_t)));
}

}  // namespace

answer_judge::answer_judge(question_source const& source)
    : source_{source}, window_{question_source::most_in_flight}, scratch_(source.largest_length()) {}

bool answer_judge::receive(std::span<std::byte const> frame, std::uint64_t now, telemetry::histogram& latency) {
  question_source::in_flight of{};
  packet_class called{};
  auto const what = look_at(frame, of, called);
  if (what == seen::stranger) {
    counts_.unknown += is_of_neighbours(frame) ? 0U : 1U;
    return false;
  }
  ++counts_.received;
  counts_.bytes += frame.size();
  if (auto const arrived = window_.mark(of.index); arrived != arrival::first) {
    ++(arrived == arrival::duplicate ? counts_.duplicates : counts_.late);
    return true;
  }
  if (what == seen::corrupted) {
    ++counts_.corrupted;
    return true;
  }
  auto const known = questions::number_of(source_.asked().at(of.index).known);
  auto const took = ticks_between(of.ticks, now);
  called_[known][questions::number_of(called)].add(1);
  latency_[known].record(took, 1);
  latency.record(took, 1);
  return true;
}

answer_judge::seen answer_judge::look_at(std::span<std::byte const> frame, question_source::in_flight& of,
                                         packet_class& called) {
  auto const found = wire::parse(frame.data(), frame.size());
  // An answer is what is not answered because it is one.
  if (wire::why_unanswerable(frame.data(), found) != wire::unanswerable::answer) return seen::stranger;
  auto const asked = source_.find(question_number(frame.data(), found));
  if (!asked) return seen::stranger;
  of = *asked;
  bool const is_anomalous = wire::dscp_of(frame.data(), found) == wire::answer_dscp::anomalous;
  called = is_anomalous ? packet_class::anomalous : packet_class::normal;
  auto const excess = excess_of(frame, found, called);
  return is_intact(frame, of.index, excess) ? seen::intact : seen::corrupted;
}

bool answer_judge::is_intact(std::span<std::byte const> frame, std::uint64_t index, std::int32_t excess) {
  std::size_t const length = source_.length(index);
  if (frame.size() != std::max(length, std::min(frame.size(), shortest_on_wire))) return false;
  source_.write_bytes(index, scratch_.data());
  wire::make_answer(scratch_.data(), length, wire::parse(scratch_.data(), length), excess);
  auto const padding = frame.subspan(length);
  return std::memcmp(frame.data(), scratch_.data(), length) == 0 &&
         std::all_of(padding.begin(), padding.end(), [](std::byte one) { return one == std::byte{0}; });
}

verify_counts answer_judge::counts(std::size_t n) const {
  if (n != 0) return {};
  auto known = published_.read();
  known.unknown = 0;
  return known;
}

answer_table answer_judge::answers() const {
  answer_table made;
  for (std::size_t known = 0; known < packet_classes; ++known) {
    for (std::size_t called = 0; called < packet_classes; ++called) {
      made[known].called[called] = called_[known][called].read();
    }
    made[known].latency = latency_[known].snapshot();
  }
  return made;
}

}  // namespace packetwarp::traffic
