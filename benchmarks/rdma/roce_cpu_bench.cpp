// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// The work of a CPU thread for RoCEv2 messages. A thread runs both ends, joined by an array of frames, and prints a
// line per measurement: messages per second of that thread's CPU time, and the time of each part per message.
// The thread makes each frame, and the other end reads, checks and executes it. Writes are posted before the clock
// runs. Needs no GPU and no DPDK port.
#include <time.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "rdma/queue_pair.h"
#include "rdma/region_table.h"
#include "rdma/roce/roce_engine.h"

namespace packetwarp::rdma::roce {
namespace {

constexpr std::uint32_t mtu = 4096, first_number = 0x100, first_target = 0x800, burst = 32;
constexpr frame_path there{.source_mac = wire::mac_address::from_number(2),
                           .destination_mac = wire::mac_address::from_number(4),
                           .source = {0x0a00'0001},
                           .destination = {0x0a00'0002}};
constexpr frame_path back{.source_mac = there.destination_mac,
                          .destination_mac = there.source_mac,
                          .source = there.destination,
                          .destination = there.source};

[[nodiscard]] double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// The clock takes about a microsecond of its own, per part of a burst of frames: the parts are measured in a run apart.
enum class clocks : std::uint8_t { of_all, of_parts };
struct part_times {
  clocks which{clocks::of_all};
  double serve{};
  double make{};     // decide which frame is next, and make it
  double respond{};  // the other end: read, check, execute
  double answer{};   // acknowledgements: made, read, taken

  [[nodiscard]] double now() const { return which == clocks::of_parts ? cpu_seconds() : 0; }
};

class both_ends {
 public:
  both_ends(std::uint32_t bytes, std::uint32_t queues, std::uint32_t posts)
      : bytes_{bytes},
        posts_{posts},
        source_(std::size_t{posts} * bytes, std::byte{0x5a}),
        target_(std::size_t{posts} * bytes),
        frames_(std::size_t{burst} * (mtu + 256)) {
    local_ = {reinterpret_cast<std::uint64_t>(source_.data()),
              here_.add(source_.data(), source_.size(), access::local_read)};
    remote_ = {reinterpret_cast<std::uint64_t>(target_.data()),
               far_.add(target_.data(), target_.size(), access::remote_write)};
    requester_.emplace(here_.ref());
    responder_.emplace(far_.ref());
    for (std::uint32_t n = 0; n < queues; ++n) {
      queues_.push_back(
          std::make_unique<queue_pair>(queue_pair_settings{.size = 2 * posts, .number = first_number + n}));
      reliability const how_reliable{.mtu = mtu, .window = 64, .ask_every = 16, .timeout_ns = 1'000'000'000};
      requester_->add(
          {.local_number = first_number + n, .remote_number = first_target + n, .path = there, .how = how_reliable},
          {.queue = &queues_.back()->parts()});
      responder_->add(
          {.local_number = first_target + n, .remote_number = first_number + n, .path = back, .how = how_reliable}, {});
    }
  }

  void post() {
    posted_.clear();
    for (auto const& one : queues_) {
      auto const slots = one->ref().reserve(single_thread{}, posts_);
      for (std::uint32_t i = 0; i < posts_; ++i)
        one->ref().post_write(slots, i, local_ + std::uint64_t{i} * bytes_, remote_ + std::uint64_t{i} * bytes_,
                              bytes_);
      one->ref().commit(single_thread{}, slots);
      posted_.push_back(slots);
    }
  }
  // Executes all that is posted.
  void run(part_times& times) {
    while (!is_done()) {
      auto const now = rdma::detail::now_ns();
      auto const began = times.now();
      requester_->serve(now);
      auto const served = times.now();
      times.serve += served - began;
      for (std::uint32_t n = 0; n < 8; ++n) {
        auto const at = times.now();
        auto const count = make(now);
        auto const made = times.now();
        times.make += made - at;
        if (count == 0) break;
        for (std::uint32_t i = 0; i < count; ++i) responder_->take({frame(i), lengths_[i]}, now);
        auto const responded = times.now();
        times.respond += responded - made;
        answer(now);
        times.answer += times.now() - responded;
      }
    }
  }
  void flush() {
    for (std::size_t n = 0; n < queues_.size(); ++n) {
      if (queues_[n]->ref().flush(single_thread{}, posted_[n]) != work_status::done) std::abort();
    }
  }

 private:
  [[nodiscard]] std::byte* frame(std::uint32_t n) { return frames_.data() + std::size_t{n} * (mtu + 256); }
  [[nodiscard]] bool is_done() {
    for (std::size_t n = 0; n < queues_.size(); ++n) {
      if (!requester_->connections()[n].is_idle() || requester_->connections()[n].queue().writes < goal_of(n))
        return false;
    }
    return true;
  }
  [[nodiscard]] std::uint64_t goal_of(std::size_t n) const { return posted_[n].end(); }

  std::uint32_t make(std::uint64_t now) {
    std::uint32_t count = 0;
    for (; count < burst && requester_->next_frame(now, plan_); ++count) {
      write_frame(frame(count), plan_.path, plan_.fields, plan_.payload, plan_.bytes);
      lengths_[count] = plan_.length();
    }
    return count;
  }
  void answer(std::uint64_t now) {
    while (auto const length = responder_->make_frame({frame(0), mtu + 256U}, now))
      requester_->take({frame(0), length}, now);
  }

  std::uint32_t bytes_;
  std::uint32_t posts_;
  std::vector<std::byte> source_;
  std::vector<std::byte> target_;
  std::vector<std::byte> frames_;
  std::array<std::size_t, burst> lengths_{};
  frame_plan plan_;
  region_table here_;
  region_table far_;
  memory_place local_{};
  memory_place remote_{};
  std::vector<std::unique_ptr<queue_pair>> queues_;
  std::vector<reservation> posted_;
  std::optional<roce_engine> requester_;
  std::optional<roce_engine> responder_;
};

// Returns the CPU time of at least `messages` messages, and sets `done` to their number.
double time_of(both_ends& ends, std::uint64_t messages, std::uint64_t round_size, part_times& times,
               std::uint64_t& done) {
  double took = 0;
  for (done = 0; done < messages; done += round_size) {
    ends.post();
    auto const began = cpu_seconds();
    ends.run(times);
    took += cpu_seconds() - began;
    ends.flush();
  }
  return took;
}

void measure(std::uint32_t bytes, std::uint32_t queues, std::uint64_t messages) {
  constexpr std::uint32_t posts = 512;
  both_ends ends{bytes, queues, posts};
  auto const round_size = std::uint64_t{posts} * queues;
  std::uint64_t done = 0;
  part_times none, parts{.which = clocks::of_parts};
  (void)time_of(ends, 1, round_size, none, done);  // to warm up
  auto const took = time_of(ends, messages, round_size, none, done);
  auto const rate = static_cast<double>(done) / took / 1e6;
  (void)time_of(ends, messages / 4, round_size, parts, done);
  auto const per_message = [&](double seconds) { return seconds * 1e9 / static_cast<double>(done); };
  std::printf(
      "%u bytes, %u queues: %.2f M messages/s; ns per message: serve %.0f, make %.0f, respond %.0f, answer %.0f\n",
      bytes, queues, rate, per_message(parts.serve), per_message(parts.make), per_message(parts.respond),
      per_message(parts.answer));
  std::fflush(stdout);
}

}  // namespace
}  // namespace packetwarp::rdma::roce

int main() {
  using namespace packetwarp::rdma::roce;
  for (std::uint32_t const queues : {1U, 32U}) {
    measure(64, queues, 500'000);
    measure(4096, queues, 50'000);
  }
  return 0;
}
