// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu/packet_shuttle.h"
#include "port/port_queues.h"
#include "traffic/judge.h"
#include "traffic/question/answer_table.h"
#include "traffic/starting_line.h"
#include "worker/job.h"

namespace packetwarp::traffic {

// Written by the verifier's worker; any thread may read.
struct alignas(64) receiving_counters {
  telemetry::counter packets;         // of this run
  telemetry::counter first_received;  // cycles; 0 before the first packet
  telemetry::counter last_received;
};

// Receives on one RX queue and gives the packets to a judge: the part that does not depend on the judge.
class receiver : public job {
 public:
  receiver(std::string name, rx_queue queue) : name_{std::move(name)}, queue_{queue}, gathered_(largest_packet) {}
  [[nodiscard]] std::string name() const override { return name_; }
  // A GPU did not give packets. Called when the job is no longer polled.
  [[nodiscard]] bool has_lost_gpu() const { return has_lost_gpu_; }
  void abandon() {
    if (shuttle_) shuttle_->abandon();
  }
  // Reports its first poll. Called once, before the job is polled. The line outlives the job.
  void report_to(starting_line& line) {
    line.await_one_more();
    line_ = &line;
  }
  // Packets come with their payload swapped; the judge sees them as before the swap.
  void expect_swapped_payload() { has_swapped_payload_ = true; }
  // Packets come in the memory of a GPU that has been opened, in one piece of up to `longest` bytes.
  void look_into(int gpu, std::uint32_t longest) {
    shuttle_ = std::make_unique<packet_shuttle>(gpu, static_cast<std::uint32_t>(most_at_once), longest);
  }
  [[nodiscard]] receiving_counters const& counters() const { return counters_; }
  [[nodiscard]] telemetry::histogram const& latency() const { return latency_; }  // cycles
  // The judge's results.
  [[nodiscard]] virtual verify_counts counts(std::size_t n) const = 0;
  [[nodiscard]] virtual std::uint64_t unknown() const = 0;
  [[nodiscard]] virtual verify_counts settled(std::size_t n, std::uint64_t sent) const = 0;
  // The answers that a judge of answers has seen.
  [[nodiscard]] virtual answer_table answers() const { return {}; }

 protected:
  static constexpr std::size_t most_at_once = 64;
  static constexpr std::size_t largest_packet = 65535;

  // Undoes what swap_payload did to a packet in one piece: a signature may lie there.
  void swap_payload_back(std::uint32_t i);
  // Copies the bytes of received packets that the CPU cannot reach.
  void fetch(std::uint32_t packets);
  // Packet i in one piece, copied if it is a chain; nothing for a chain that is longer than any frame, or for a packet
  // that a GPU did not give.
  [[nodiscard]] std::span<std::byte const> bytes_of(std::uint32_t i);
  void count(std::size_t packets, cycles now);
  void report_poll() {
    if (line_ != nullptr) std::exchange(line_, nullptr)->arrive();
  }

  std::string name_;
  rx_queue queue_;
  std::array<rte_mbuf*, most_at_once> packets_{};
  std::vector<std::byte> gathered_;
  std::unique_ptr<packet_shuttle> shuttle_;  // if packets lie in GPU memory
  bool is_fetched_{};
  bool has_lost_gpu_{};
  bool has_swapped_payload_{};
  starting_line* line_{nullptr};  // until its first poll
  telemetry::histogram latency_;
  receiving_counters counters_;
};

// Polls in every phase, so that packets that are on their way when a run drains are seen, too.
template <packet_judge Judge>
class verifier_job final : public receiver {
 public:
  // The judge is made in place from the arguments: other threads read it, so it cannot be moved.
  template <class... Args>
  verifier_job(std::string name, rx_queue queue, Args&&... of_judge)
      : receiver{std::move(name), queue}, judge_{std::forward<Args>(of_judge)...} {}

  std::uint32_t poll(tick const&) override {
    auto const n = queue_.receive(packets_);
    report_poll();
    if (n == 0) return 0;
    cycles const now = now_cycles();
    fetch(n);
    std::uint32_t ours = 0;
    for (std::uint32_t i = 0; i < n; ++i) ours += judge_.receive(bytes_of(i), now, latency_) ? 1U : 0U;
    rte_pktmbuf_free_bulk(packets_.data(), n);
    judge_.publish();
    if (ours != 0) count(ours, now);
    return n;
  }
  [[nodiscard]] verify_counts counts(std::size_t n) const override { return judge_.counts(n); }
  [[nodiscard]] std::uint64_t unknown() const override { return judge_.unknown(); }
  [[nodiscard]] verify_counts settled(std::size_t n, std::uint64_t sent) const override {
    return judge_.settled(n, sent);
  }
  [[nodiscard]] answer_table answers() const override {
    if constexpr (requires { judge_.answers(); }) return judge_.answers();
    return {};
  }

 private:
  Judge judge_;
};

}  // namespace packetwarp::traffic
