// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>

#include "telemetry/counter.h"
#include "telemetry/histogram.h"
#include "traffic/replay_check.h"
#include "traffic/streams/neighbours.h"
#include "traffic/verify.h"

namespace packetwarp::traffic {

// A judge evaluates the packets that a receive queue gave. It runs on one thread, and publishes its results for others.

// verify_counts that one thread writes and any thread may read.
class published_counts {
 public:
  void publish(verify_counts const& counts);
  [[nodiscard]] verify_counts read() const;

 private:
  std::array<telemetry::counter, 7> counters_;
};

// receive(): judges a packet that was received at `now`, and returns whether it is one of this run's; publish(): makes
// the counts visible to others. Called on the job's thread.
//
// counts(n): the counts of the n-th stream, or of all streams under 0 if packets do not tell their stream; unknown():
// packets of no stream. Any thread.
//
// settled(n, sent): the final counts, called when the number of sent packets is known and the job's thread has ended.
// Judges that only count leave duplicates to the exchange, which adds up the counts of several queues.
template <class Judge>
concept packet_judge = requires(Judge& judge, std::span<std::byte const> frame, std::uint64_t now,
                                telemetry::histogram& latency, std::size_t n) {
  { judge.receive(frame, now, latency) } -> std::same_as<bool>;
  { judge.publish() } -> std::same_as<void>;
  { judge.counts(n) } -> std::same_as<verify_counts>;
  { judge.unknown() } -> std::same_as<std::uint64_t>;
  { judge.settled(n, now) } -> std::same_as<verify_counts>;
};

// For streams with signatures: each has a verifier, found by the signature's stream number.
class signed_judge {
 public:
  // The streams share a key and outlive the judge. Throws usage_error.
  signed_judge(std::vector<stream const*> const& sent, transform expected, content_check depth);

  bool receive(std::span<std::byte const> frame, std::uint64_t now, telemetry::histogram& latency) {
    judged* const of = find(frame);
    if (of == nullptr) {
      strangers_ += is_of_neighbours(frame) ? 0U : 1U;
      return false;
    }
    of->checks.receive(frame, now, [&](std::uint64_t ticks) { latency.record(ticks, 1); });
    return true;
  }
  void publish();

  [[nodiscard]] verify_counts counts(std::size_t n) const { return all_[n].published.read(); }
  [[nodiscard]] std::uint64_t unknown() const { return unknown_.read(); }
  [[nodiscard]] verify_counts settled(std::size_t n, std::uint64_t /*sent*/) const { return counts(n); }

 private:
  struct judged {
    judged(stream const& sent, transform expected, content_check depth) : checks{sent, expected, depth} {}
    verifier checks;
    published_counts published;
  };
  [[nodiscard]] judged* find(std::span<std::byte const> frame);

  std::deque<judged> all_;
  std::array<judged*, 256> by_number_{};
  signature_key key_;
  std::uint64_t strangers_{};
  telemetry::counter unknown_;
};

// For packets without signatures: counts them.
class counting_judge {
 public:
  bool receive(std::span<std::byte const> frame, std::uint64_t /*now*/, telemetry::histogram& /*latency*/) {
    ++counts_.received;
    counts_.bytes += frame.size();
    return true;
  }
  void publish() { published_.publish(counts_); }
  [[nodiscard]] verify_counts counts(std::size_t n) const { return n == 0 ? published_.read() : verify_counts{}; }
  [[nodiscard]] std::uint64_t unknown() const { return 0; }
  [[nodiscard]] verify_counts settled(std::size_t n, std::uint64_t /*sent*/) const { return counts(n); }

 private:
  verify_counts counts_;
  published_counts published_;
};

// For the packets of a capture.
class replay_judge {
 public:
  replay_judge(capture const& sent, transform expected) : check_{sent, expected} {}
  bool receive(std::span<std::byte const> frame, std::uint64_t /*now*/, telemetry::histogram& /*latency*/) {
    return check_.receive(frame);
  }
  void publish() { published_.publish(check_.counts()); }
  [[nodiscard]] verify_counts counts(std::size_t n) const;
  [[nodiscard]] std::uint64_t unknown() const { return published_.read().unknown; }
  // Only these counts include duplicates.
  [[nodiscard]] verify_counts settled(std::size_t n, std::uint64_t sent) const;

 private:
  replay_check check_;
  published_counts published_;
};

}  // namespace packetwarp::traffic
