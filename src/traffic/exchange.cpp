// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/exchange.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace packetwarp::traffic {
namespace {

double seconds_between(cycles first, cycles last) { return last > first ? to_nanoseconds(last - first) / 1e9 : 0; }

// The time from the first of several events to the last; 0 without events.
class stretch {
 public:
  void add(cycles first, cycles last) {
    if (first != 0) first_ = first_ == 0 ? first : std::min(first_, first);
    last_ = std::max(last_, last);
  }
  [[nodiscard]] double seconds() const { return seconds_between(first_, last_); }

 private:
  cycles first_{};
  cycles last_{};
};

}  // namespace

void exchange::deal(workforce& workers, std::span<lcore_id const> lcores) {
  std::size_t next = 0;
  auto const add = [&](job& what) { workers.on(lcores[next++ % lcores.size()]).add(what); };
  for (auto& one : ways_) {
    for (std::size_t q = 0; q < one.generators.size(); ++q) {
      add(*one.generators[q]);
      if (q < one.receivers.size()) add(*one.receivers[q]);
    }
  }
}

void exchange::stop() {
  for (auto& one : ways_) {
    for (auto const& sends : one.generators) sends->stop();
  }
}

bool exchange::all_sent() const {
  return std::all_of(ways_.begin(), ways_.end(), [](way const& one) {
    return std::all_of(one.generators.begin(), one.generators.end(), [](auto const& g) { return g->is_finished(); });
  });
}

bool exchange::all_back() const { return tells_origin() && !replay_ && as_many_back(); }

bool exchange::as_many_back() const {
  return std::all_of(ways_.begin(), ways_.end(),
                     [&](way const& one) { return !one.plan.to || outcome_of(one, moment::running).lost == 0; });
}

std::uint64_t exchange::packets_received() const {
  std::uint64_t packets = 0;
  for (auto const& one : ways_) {
    for (auto const& receives : one.receivers) packets += receives->counters().packets.read();
  }
  return packets;
}

outcome exchange::so_far() const {
  outcome sum;
  for (auto const& one : ways_) sum += outcome_of(one, moment::running);
  return sum;
}

verification exchange::how() const {
  if (std::none_of(ways_.begin(), ways_.end(), [](way const& one) { return one.plan.to.has_value(); })) {
    return verification::none;
  }
  if (config_.asked) return verification::answers;
  if (replay_) return verification::replayed;
  if (!config_.programs.empty()) return stl::verification_of(inspection_);
  if (config_.what.signatures == signing::off) return verification::counted;
  return config_.depth == content_check::every_byte ? verification::every_byte : verification::signatures;
}

outcome exchange::outcome_of(way const& of, moment when) const {
  outcome sum;
  // The sent count is read first: it is never more than the receivers' next count.
  std::vector<std::uint64_t> sent;
  for (auto const& sends : of.generators) {
    auto const& counters = sends->counters();
    sent.push_back(counters.packets.read());
    sum.sent.packets += sent.back();
    sum.sent.bytes += counters.bytes.read();
    sum.tx_full += counters.tx_full.read();
    sum.no_mbuf += counters.no_mbuf.read();
  }
  bool const told_apart = !of.streams.empty() && config_.what.signatures == signing::on;
  if (!told_apart) sent = {sum.sent.packets};
  for (std::size_t n = 0; of.plan.to && n < sent.size(); ++n) {
    verify_counts seen;
    for (auto const& receives : of.receivers) {
      seen += when == moment::ended ? receives->settled(n, sent[n]) : receives->counts(n);
    }
    // Packets that tell neither number nor origin: some of more packets than were sent are duplicates, or strangers.
    if (when == moment::ended && !tells_origin()) seen.duplicates = std::max(seen.received, sent[n]) - sent[n];
    sum.received.packets += seen.received;
    sum.received.bytes += seen.bytes;
    sum.lost += seen.lost(sent[n]);
    sum.duplicates += seen.duplicates;
    sum.reordered += seen.reordered;
    sum.corrupted += seen.corrupted;
  }
  for (auto const& receives : of.receivers) sum.unknown += receives->unknown();
  return sum;
}

void exchange::abandon() {
  if (pool_) pool_->abandon();
  for (auto& one : ways_) {
    for (auto const& sends : one.generators) sends->abandon();
    for (auto const& receives : one.receivers) receives->abandon();
  }
}

void exchange::require_gpu_worked() const {
  for (auto const& one : ways_) {
    bool const worked =
        std::none_of(one.generators.begin(), one.generators.end(), [](auto const& g) { return g->has_lost_gpu(); }) &&
        std::none_of(one.receivers.begin(), one.receivers.end(), [](auto const& r) { return r->has_lost_gpu(); });
    if (!worked)
      throw failure(
          fmt::format("GPU {}: packets could not be copied to or from its memory; see 'nvidia-smi'", config_.gpu));
  }
}

std::optional<answer_table> exchange::answers() const {
  if (!config_.asked) return std::nullopt;
  answer_table sum;
  auto const add = [&sum](answer_table const& some) {
    for (std::size_t n = 0; n < packet_classes; ++n) sum[n] += some[n];
  };
  for (auto const& one : ways_) {
    std::uint64_t sent = 0;
    for (auto const& sends : one.generators) sent += sends->counters().packets.read();
    for (auto const& receives : one.receivers) add(receives->answers());
    for (auto const known : {packet_class::normal, packet_class::anomalous}) {
      sum[questions::number_of(known)].sent += config_.asked->sent_of(known, sent);
    }
  }
  return sum;
}

exchange_result exchange::result() const {
  require_gpu_worked();
  exchange_result made;
  made.how = how();
  made.answers = answers();
  made.cycles_per_second = cycles_per_second();
  made.sent_all_there_is = true;
  stretch sending;
  stretch receiving;
  for (auto const& one : ways_) {
    made.directions.push_back({one.plan.from, one.plan.to, outcome_of(one, moment::ended)});
    made.total += made.directions.back().what;
    for (auto const& sends : one.generators) {
      made.sent_all_there_is &= sends->has_sent_all_there_is();
      made.directions.back().pace += sends->kept();
      sending.add(sends->counters().first_sent.read(), sends->counters().last_sent.read());
    }
    made.pace += made.directions.back().pace;
    for (auto const& receives : one.receivers) {
      receiving.add(receives->counters().first_received.read(), receives->counters().last_received.read());
      made.latency += receives->latency().snapshot();
    }
  }
  made.sending_seconds = sending.seconds();
  made.receiving_seconds = receiving.seconds();
  return made;
}

}  // namespace packetwarp::traffic
