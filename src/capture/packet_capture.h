// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "burst/verdict.h"
#include "capture/capture_buffer.h"
#include "capture/capture_filter.h"
#include "capture/captured_packet.h"
#include "capture/pcapng.h"

namespace packetwarp {

// The selection of packets, and the part of each that is kept.
struct capture_selection {
  std::array<bool, capture_stage_names.size()> stages{};  // by capture_stage
  std::optional<std::uint16_t> port{};                    // as in capture_place
  std::string reason{};                                   // for dropped and punted packets; empty: any
  std::optional<filter_program> filter{};
  capture_reach reach{capture_reach::whole_packet};
  std::uint32_t snap{capture_buffer::longest};  // the most bytes of each packet
  std::size_t buffer{std::size_t{64} << 20};    // bytes, for copies that are not written yet
};

// Names by drop_reason; empty for a reason that does not exist. They live as long as the process.
using drop_reason_names = std::array<std::string_view, max_drop_reasons>;

// Copies wanted packets as they pass. While it is on, any number of workers call take() at once; packets without room
// are counted and not waited for.
class packet_capture {
 public:
  // ports: the number of ports in the plan. Throws failure if memory is short.
  packet_capture(capture_selection wanted, drop_reason_names const& names, std::size_t ports);

  void take(capture_place const& where, std::span<rte_mbuf* const> packets);
  void take_dropped(std::uint16_t port, drop_reason why, std::span<rte_mbuf* const> packets) {
    take({capture_stage::dropped, port, names_[static_cast<std::size_t>(why)]}, packets);
  }

  // For the writer.
  [[nodiscard]] capture_buffer& copies() { return copies_; }
  // All counts except the written packets.
  [[nodiscard]] pcapng::interface_counts counts(std::size_t port) const;
  [[nodiscard]] std::size_t ports() const { return ports_; }
  [[nodiscard]] std::uint32_t snap() const { return wanted_.snap; }

 private:
  struct alignas(64) port_counts {
    std::atomic<std::uint64_t> seen{}, accepted{}, missed{};
  };
  [[nodiscard]] bool looks_at(capture_place const& where) const;
  [[nodiscard]] bool keep(capture_place const& where, rte_mbuf& packet);

  capture_selection wanted_;
  drop_reason_names names_;
  std::optional<capture_filter> filter_;
  capture_buffer copies_;
  std::size_t ports_;
  std::unique_ptr<port_counts[]> counts_;
};

// Jobs ask here, once per burst, whether their packets are captured. Each data plane has one point, on a cache line of
// its own that is written only when a capture begins and ends.
struct alignas(64) capture_point {
  std::atomic<packet_capture*> active{nullptr};
};

// A job's access to the point. An answer is valid until the end of the worker's loop iteration.
class capture_tap {
 public:
  capture_tap() = default;
  explicit capture_tap(capture_point const& point) : point_{&point} {}
  [[nodiscard]] packet_capture* active() const {
    return point_ == nullptr ? nullptr : point_->active.load(std::memory_order_acquire);
  }

 private:
  capture_point const* point_{};
};

}  // namespace packetwarp
