// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "looped_requester.h"
#include "rdma/queue_pair.h"
#include "rdma/queue_pair_ref.h"
#include "rdma/region_table.h"
#include "rdma/roce/roce_engine.h"

namespace packetwarp::rdma::roce::test {

// Frames in a thousand that a wire loses, sends twice, delays until after later ones, or changes a bit of.
struct faults {
  unsigned lost{};
  unsigned doubled{};
  unsigned delayed{};
  unsigned corrupted{};
};

class faulty_wire {
 public:
  faulty_wire(faults how, std::uint64_t seed) : faults_{how}, random_{seed} {}

  void send(std::span<std::byte const> frame) {
    ++sent_;
    if (happens(faults_.lost)) return;
    std::vector<std::byte> copy{frame.begin(), frame.end()};
    // After the addresses of Ethernet, which nothing covers; a bit of a field that routers change does not matter
    // either.
    if (happens(faults_.corrupted)) copy[14 + random_() % (copy.size() - 14)] ^= std::byte{1} << random_() % 8;
    if (happens(faults_.doubled)) on_the_way_.push_back(copy);
    on_the_way_.push_back(std::move(copy));
    if (happens(faults_.delayed) && on_the_way_.size() > 1)
      std::swap(on_the_way_.back(), on_the_way_[random_() % on_the_way_.size()]);
  }
  [[nodiscard]] bool is_empty() const { return on_the_way_.empty(); }
  [[nodiscard]] std::vector<std::byte> receive() {
    auto frame = std::move(on_the_way_.front());
    on_the_way_.pop_front();
    return frame;
  }
  [[nodiscard]] std::uint64_t sent() const { return sent_; }

 private:
  [[nodiscard]] bool happens(unsigned in_a_thousand) { return random_() % 1000 < in_a_thousand; }

  faults faults_;
  std::mt19937_64 random_;
  std::deque<std::vector<std::byte>> on_the_way_;
  std::uint64_t sent_{};
};

// The initiator's requesters: the engine's, or those of a GPU's lanes, which a loop runs here, with frames in one piece
// or two.
enum class requesters : std::uint8_t { of_engine, of_lanes, of_lanes_in_two_pieces };
[[nodiscard]] constexpr char const* to_string(requesters by) {
  return by == requesters::of_engine ? "of_engine" : by == requesters::of_lanes ? "of_lanes" : "of_lanes_in_two_pieces";
}

struct ends_settings {
  requesters by{requesters::of_engine};
  std::uint32_t queues{1};
  std::uint32_t entries{64};
  std::uint32_t area{1 << 14};  // bytes of the target that a queue writes to
  faults wire{};
  reliability how{.window = 32, .ask_every = 8, .timeout_ns = 100'000};
  std::uint32_t first_psn{0xff'fff0};
  std::uint64_t seed{1};
};

// An initiator and a target, each with an engine, and a wire with faults in each direction. A test moves the time.
class two_ends {
 public:
  static constexpr std::size_t guard = 256;  // bytes around the target's region, which nothing may change
  static constexpr std::uint32_t first_initiator = 0x100, first_target = 0xfffe00;

  explicit two_ends(ends_settings const& settings)
      : settings_{settings},
        source(settings.area),
        target(settings.queues * std::size_t{settings.area} + 2 * guard, std::byte{0x5a}),
        model{target},
        there_{settings.wire, settings.seed},
        back_{settings.wire, settings.seed + 1} {
    std::mt19937_64 random{settings.seed + 2};
    std::generate(source.begin(), source.end(), [&] { return static_cast<std::byte>(random()); });
    local = {address_of(source.data()), here_.add(source.data(), source.size(), access::local_read)};
    remote = {address_of(target.data() + guard),
              far_.add(target.data() + guard, target.size() - 2 * guard, access::remote_write)};
    initiator.emplace(here_.ref());
    responder.emplace(far_.ref());
    for (std::uint32_t n = 0; n < settings.queues; ++n) {
      queues_.push_back(
          std::make_unique<queue_pair>(queue_pair_settings{.size = settings.entries, .number = first_initiator + n}));
      add_initiator(n);
      add_responder(n);
    }
  }

  // The target knows the other queues alone, from now on; called before the first step.
  void forget(std::uint32_t queue) {
    responder.emplace(far_.ref());
    for (std::uint32_t n = 0; n < settings_.queues; ++n) {
      if (n != queue) add_responder(n);
    }
  }

  // The target knows all queues, as at first.
  void remember() {
    responder.emplace(far_.ref());
    for (std::uint32_t n = 0; n < settings_.queues; ++n) add_responder(n);
  }
  // The initiator's queue 0 gets an answer to its first packet that no responder of packetwarp's gives.
  void answer_first(std::uint8_t syndrome) {
    std::vector<std::byte> frame(frame_bytes(opcode::acknowledge, 0));
    write_frame(frame.data(), back,
                {.code = opcode::acknowledge,
                 .queue_number = first_initiator,
                 .psn = settings_.first_psn,
                 .syndrome = syndrome},
                nullptr, 0);
    initiator->take(frame, now);
  }

  [[nodiscard]] queue_pair_ref queue(std::uint32_t n) const { return queues_[n]->ref(); }
  [[nodiscard]] memory_place area(std::uint32_t n) const { return remote + std::uint64_t{n} * settings_.area; }

  // Posts a write of a queue, and has the model execute it; empty if the queue is full.
  reservation write(std::uint32_t n, std::uint32_t from, std::uint32_t to, std::uint32_t bytes) {
    (void)status(n);
    if (queue(n).parts().cursors->reserved - queue(n).completed() >= settings_.entries) return {};
    auto const slots = queue(n).reserve(single_thread{}, 1);
    queue(n).post_write(slots, 0, local + from, area(n) + to, bytes);
    queue(n).commit(single_thread{}, slots);
    std::copy_n(source.begin() + from, bytes,
                model.begin() + static_cast<std::ptrdiff_t>(guard + std::size_t{n} * settings_.area + to));
    return slots;
  }

  // Each end sends up to 16 frames, or those of a round of lanes, and takes what has come.
  void step() {
    now += 1'000;
    initiator->serve(now);
    send(*initiator, there_);
    for (auto const& one : looped_) one->serve(now, [&](auto frame) { there_.send(frame); });
    take(*responder, there_);
    send(*responder, back_);
    take(*initiator, back_);
    initiator->serve(now);
  }
  // Until all writes have ended; false if this takes longer than `ns`.
  [[nodiscard]] bool settle(std::uint64_t ns = 60'000'000'000) {
    for (auto const until = now + ns; now < until;) {
      step();
      if (is_idle()) return true;
    }
    return false;
  }
  [[nodiscard]] bool is_idle() const {
    return initiator->is_idle() &&
           std::all_of(looped_.begin(), looped_.end(), [](auto const& one) { return one->is_idle(); });
  }
  // The counters of the initiator.
  [[nodiscard]] roce_counters initiated() const {
    auto sum = initiator->counters();
    for (auto const& one : looped_) {
      sum.sent.add(one->sent());
      sum.queues.add(one->queue());
    }
    return sum;
  }
  // Reads the CQEs that are there.
  work_status status(std::uint32_t n) {
    while (queue(n).poll()) {
    }
    return queue(n).status();
  }
  [[nodiscard]] std::uint64_t frames() const { return there_.sent() + back_.sent(); }

 private:
  static constexpr std::uint32_t blanks = 128;  // of a looped requester

  [[nodiscard]] static std::uint64_t address_of(std::byte const* data) { return reinterpret_cast<std::uint64_t>(data); }
  static constexpr frame_path there{.source_mac = wire::mac_address::from_number(2),
                                    .destination_mac = wire::mac_address::from_number(4),
                                    .source = {0x0a00'0001},
                                    .destination = {0x0a00'0002}};
  static constexpr frame_path back{.source_mac = there.destination_mac,
                                   .destination_mac = there.source_mac,
                                   .source = there.destination,
                                   .destination = there.source};
  void add_initiator(std::uint32_t n) {
    connection_settings const made{.local_number = first_initiator + n,
                                   .remote_number = first_target + n,
                                   .send_psn = settings_.first_psn + n,
                                   .receive_psn = 7,
                                   .path = there,
                                   .how = settings_.how};
    if (settings_.by == requesters::of_engine) {
      initiator->add(made, {.queue = &queues_[n]->parts()});
    } else {
      auto const pieces = settings_.by == requesters::of_lanes ? frame_pieces::one : frame_pieces::two;
      looped_.push_back(
          std::make_unique<looped_requester>(made, queues_[n]->parts(), here_.ref(), tables_, blanks, pieces));
      initiator->add(made, {.elsewhere = &looped_.back()->end});
    }
  }
  void add_responder(std::uint32_t n) {
    responder->add({.local_number = first_target + n,
                    .remote_number = first_initiator + n,
                    .send_psn = 7,
                    .receive_psn = settings_.first_psn + n,
                    .path = back,
                    .how = settings_.how},
                   {});
  }
  void send(roce_engine& end, faulty_wire& wire) {
    std::vector<std::byte> room(end.most_frame_bytes());
    for (int n = 0; n < 16; ++n) {
      auto const bytes = end.make_frame(room, now);
      if (bytes == 0) return;
      wire.send(std::span{room}.first(bytes));
    }
  }
  void take(roce_engine& end, faulty_wire& wire) const {
    while (!wire.is_empty()) end.take(wire.receive(), now);
  }

  ends_settings settings_;
  region_table here_;
  region_table far_;
  std::vector<std::unique_ptr<queue_pair>> queues_;
  std::shared_ptr<lane_tables const> tables_{make_tables()};
  std::vector<std::unique_ptr<looped_requester>> looped_;

 public:
  std::vector<std::byte> source;
  std::vector<std::byte> target;
  std::vector<std::byte> model;  // what the target has to be
  memory_place local;
  memory_place remote;
  std::optional<roce_engine> initiator;
  std::optional<roce_engine> responder;
  std::uint64_t now{1};

 private:
  faulty_wire there_;
  faulty_wire back_;
};

}  // namespace packetwarp::rdma::roce::test
