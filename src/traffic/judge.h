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
#include "traffic/verify.h"

namespace packetwarp::traffic {

// Judges tell what a receive queue gave. Each is one thread's, and publishes what it knows for others to read.

// verify_counts as one thread writes and any may read.
class published_counts {
 public:
  void publish(verify_counts const& counts);
  [[nodiscard]] verify_counts read() const;

 private:
  std::array<telemetry::counter, 7> counters_;
};

// receive(): looks at a packet received at `now`, says whether it is one of this run's; publish(): lets others see. By
// the job's thread.
// counts(n): what was seen of the n-th stream, or of all under 0 where packets do not say which is theirs; unknown():
// packets of none. Any thread.
// settled(n, sent): the counts, when it is known that so many packets were sent and the job's thread has ended.
template <class Judge>
concept packet_judge = requires(Judge& judge, std::span<std::byte const> frame, std::uint64_t now,
                                telemetry::histogram& latency, std::size_t n) {
  { judge.receive(frame, now, latency) } -> std::same_as<bool>;
  { judge.publish() } -> std::same_as<void>;
  { judge.counts(n) } -> std::same_as<verify_counts>;
  { judge.unknown() } -> std::same_as<std::uint64_t>;
  { judge.settled(n, now) } -> std::same_as<verify_counts>;
};

// For streams that are signed: each of its own verifier, told apart by the signature's stream number.
class signed_judge {
 public:
  // The streams share a key and outlive the judge. Throws usage_error.
  signed_judge(std::vector<stream const*> const& sent, transform expected, content_check depth);

  bool receive(std::span<std::byte const> frame, std::uint64_t now, telemetry::histogram& latency) {
    judged* const of = find(frame);
    if (of == nullptr) {
      ++strangers_;
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

// For packets that say nothing of themselves: counts them.
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

// For a capture that is replayed.
class replay_judge {
 public:
  replay_judge(capture const& sent, transform expected) : check_{sent, expected} {}
  bool receive(std::span<std::byte const> frame, std::uint64_t /*now*/, telemetry::histogram& /*latency*/) {
    return check_.receive(frame);
  }
  void publish() { published_.publish(check_.counts()); }
  [[nodiscard]] verify_counts counts(std::size_t n) const;
  [[nodiscard]] std::uint64_t unknown() const { return published_.read().unknown; }
  // Duplicates show only here.
  [[nodiscard]] verify_counts settled(std::size_t n, std::uint64_t sent) const;

 private:
  replay_check check_;
  published_counts published_;
};

}  // namespace packetwarp::traffic
