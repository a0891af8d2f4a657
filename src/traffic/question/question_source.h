// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>

#include "base/cycles.h"
#include "traffic/question/questions.h"
#include "wire/layers.h"

namespace packetwarp::traffic {

// The number of a question in flight: IPv4's identification, which means nothing in a packet that is no fragment
// (RFC 6864, 4.1), and the last 16 bits of IPv6's flow label. A model sees neither.
void write_question_number(std::byte* packet, wire::layers const& found, std::uint16_t number);
[[nodiscard]] std::uint16_t question_number(std::byte const* packet, wire::layers const& found);

// The questions of one direction, as a source of packets (generator_job.h), and those in flight: the last 65,536. The
// generator's thread writes, and the verifier's reads.
class question_source {
 public:
  static constexpr std::size_t most_in_flight = std::size_t{1} << 16;

  explicit question_source(std::shared_ptr<questions const> asked) : asked_{std::move(asked)} {}

  [[nodiscard]] questions const& asked() const { return *asked_; }
  [[nodiscard]] std::uint16_t length(std::uint64_t index) const { return asked_->at(index).length; }
  [[nodiscard]] std::uint16_t largest_length() const { return asked_->largest(); }
  void write(std::uint64_t index, std::uint64_t ticks, std::byte* frame) const;
  [[nodiscard]] bool keeps_times() const { return asked_->pace() == capture_pace::recorded; }
  // Nanoseconds after the first packet.
  [[nodiscard]] std::uint64_t due(std::uint64_t index) const { return asked_->due(index); }

  struct in_flight {
    std::uint64_t index;
    cycles ticks;  // the time of sending
  };
  // The last question with this number.
  [[nodiscard]] std::optional<in_flight> find(std::uint16_t number) const;
  // Writes the bytes of a question as they were sent.
  void write_bytes(std::uint64_t index, std::byte* frame) const;

 private:
  struct slot {
    std::atomic<std::uint64_t> index_plus_one{};
    std::atomic<cycles> ticks{};
  };
  std::shared_ptr<questions const> asked_;
  std::unique_ptr<std::array<slot, most_in_flight>> slots_{std::make_unique<std::array<slot, most_in_flight>>()};
};

}  // namespace packetwarp::traffic
