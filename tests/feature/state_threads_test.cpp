// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "feature/traffic.h"

// A state that threads of a CPU share: whatever the order of their packets within an epoch, rows and counts are those
// of one thread.
namespace packetwarp::test::features {
namespace {

constexpr unsigned threads = 4;
constexpr std::uint64_t epochs = 300;  // rates are halved on the way
constexpr std::uint32_t packets_of_thread = 40;

// Threads wait here for each other.
class meeting {
 public:
  void wait() {
    std::unique_lock held{lock_};
    auto const round = round_;
    if (++here_ == threads) {
      here_ = 0;
      ++round_;
      all_.notify_all();
    } else {
      all_.wait(held, [&] { return round_ != round; });
    }
  }

 private:
  std::mutex lock_;
  std::condition_variable all_;
  unsigned here_{};
  std::uint64_t round_{};
};

enum class hosts_are_added : std::uint8_t { at_once, by_group };

// A thread's view of a state: the note of how spread its packets are is its own, and so are the counts for hosts that
// it keeps.
class viewer {
 public:
  explicit viewer(pipeline const& of, hosts_are_added when = hosts_are_added::at_once) : state_{of.ref()} {
    state_.spread = &spread_;
    if (when == hosts_are_added::by_group) state_.kept = &kept_;
  }
  void end_group() { kept_.add_all(); }
  row see(feature::packet_facts const& facts, std::uint64_t epoch) {
    row made;
    made.fill(-1);
    feature::observe(facts, epoch, state_, made.data());
    return made;
  }

 private:
  std::uint64_t spread_{};
  feature::kept_adds kept_;
  feature::state_ref state_;
};

// Few hosts and flows, each with packets of several threads in every epoch, and both directions of each flow.
[[nodiscard]] feature::packet_facts packet_of(unsigned thread, std::uint32_t n, std::uint64_t epoch) {
  auto const number = static_cast<std::uint32_t>(thread * packets_of_thread + n + epoch);
  auto const client = 1 + number % 7;
  auto const server = 100 + number % 3;
  auto const port = static_cast<std::uint16_t>(5000 + number % 4);
  auto const length = 60 + number % 500;
  return number % 2 == 0 ? udp_facts(client, server, port, 53, length) : udp_facts(server, client, 53, port, length);
}

class state_of_threads : public ::testing::TestWithParam<hosts_are_added> {};
INSTANTIATE_TEST_SUITE_P(hosts, state_of_threads,
                         ::testing::Values(hosts_are_added::at_once, hosts_are_added::by_group),
                         [](auto const& tested) {
                           return tested.param == hosts_are_added::at_once ? "added_at_once" : "added_by_group";
                         });

TEST_P(state_of_threads, is_that_of_one_thread) {
  pipeline shared, alone;
  meeting all;
  std::vector<std::vector<row>> rows(threads);
  std::vector<std::thread> running;
  for (unsigned thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      viewer mine{shared, GetParam()};
      // Threads are of two neighbouring epochs at most, as the bursts of rings.
      for (std::uint64_t epoch = 1; epoch <= epochs; ++epoch) {
        for (std::uint32_t n = 0; n < packets_of_thread; ++n) {
          rows[thread].push_back(mine.see(packet_of(thread, n, epoch), epoch));
          if (n % 32 == 31) mine.end_group();
        }
        mine.end_group();
        all.wait();
      }
    });
  }
  for (auto& one : running) one.join();
  std::vector<std::size_t> at(threads);
  for (std::uint64_t epoch = 1; epoch <= epochs; ++epoch) {
    for (unsigned thread = 0; thread < threads; ++thread) {
      for (std::uint32_t n = 0; n < packets_of_thread; ++n)
        ASSERT_EQ(rows[thread][at[thread]++], alone.see(packet_of(thread, n, epoch), epoch))
            << thread << ' ' << epoch << ' ' << n;
    }
  }
  auto const& counts = *shared.ref().flows.counts;
  EXPECT_EQ(counts.inserted, alone.ref().flows.counts->inserted);
  EXPECT_EQ(counts.untracked, 0U);
}

// More flows than records: threads take each other's places, and every packet is counted once.
TEST_P(state_of_threads, takes_turns_in_a_table_that_is_full) {
  pipeline shared{{.flows = 64, .hosts = 64}};
  meeting all;
  std::vector<std::thread> running;
  for (unsigned thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      viewer mine{shared, GetParam()};
      for (std::uint64_t epoch = 1; epoch <= 100; ++epoch) {
        for (std::uint32_t n = 0; n < packets_of_thread; ++n)
          (void)mine.see(packet_number(static_cast<std::uint32_t>(epoch) * 7919 + thread * 997 + n), epoch);
        mine.end_group();
        all.wait();
      }
    });
  }
  for (auto& one : running) one.join();
  auto const& flows = *shared.ref().flows.counts;
  EXPECT_LE(flows.inserted, 64U);
  EXPECT_GT(flows.replaced, 64U);
}

}  // namespace
}  // namespace packetwarp::test::features
