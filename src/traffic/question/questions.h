// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "traffic/capture/capture.h"
#include "traffic/question/answer_table.h"

namespace packetwarp::traffic {

// Packets of captures whose classes are known, in the order of their times since each capture's begin: what is asked
// about (question_source.h). Packets that a device does not answer (wire/answer.h) are left out.
class questions {
 public:
  struct question {
    std::uint64_t offset{};  // into the bytes
    std::uint64_t time{};    // nanoseconds since the begin
    std::uint16_t length{};
    packet_class known{};
  };

  explicit questions(capture_pace pace) : pace_{pace} {}

  // classes: of each packet of the capture. Call sort() after the last one.
  void add(capture const& recorded, std::span<packet_class const> classes);
  void sort();

  [[nodiscard]] bool is_empty() const { return all_.empty(); }
  [[nodiscard]] std::uint64_t count() const { return all_.size(); }
  [[nodiscard]] std::uint64_t count_of(packet_class known) const { return before_.back()[number_of(known)]; }
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
  [[nodiscard]] std::uint16_t largest() const { return largest_; }
  [[nodiscard]] capture_pace pace() const { return pace_; }

  // Packets are sent round and round. index: of the endless series.
  [[nodiscard]] question const& at(std::uint64_t index) const { return all_[index % all_.size()]; }
  [[nodiscard]] std::span<std::byte const> bytes(question const& one) const {
    return std::span{bytes_}.subspan(one.offset, one.length);
  }
  // Nanoseconds from the first packet to this one, at the recorded pace.
  [[nodiscard]] std::uint64_t due(std::uint64_t index) const {
    return index / all_.size() * round_ + all_[index % all_.size()].time;
  }
  // Packets of this class among the first `sent`.
  [[nodiscard]] std::uint64_t sent_of(packet_class known, std::uint64_t sent) const;

  [[nodiscard]] static constexpr std::size_t number_of(packet_class one) { return static_cast<std::size_t>(one); }

 private:
  using class_counts = std::array<std::uint64_t, packet_classes>;

  capture_pace pace_;
  std::vector<std::byte> bytes_;
  std::vector<question> all_;
  std::vector<class_counts> before_{class_counts{}};  // [n]: of the first n packets
  std::uint64_t round_{};                             // nanoseconds from a round's first packet to the next round's
  std::uint64_t left_out_{};
  std::uint16_t largest_{};
};

}  // namespace packetwarp::traffic
