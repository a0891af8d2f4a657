// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "parity/parity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "executor/gpu/gpu_work.h"
#include "fixtures/eal_environment.h"

namespace packetwarp::test {
namespace {

[[maybe_unused]] auto* const eal = testing::AddGlobalTestEnvironment(new eal_environment{1, {}, 256});

// Long enough that no healthy GPU, even under a tool, counts as broken.
constexpr std::chrono::seconds gpu_timeout{10};

// The size of the corpus's sample: for a tool that slows everything down.
[[nodiscard]] std::size_t packets_asked_for() {
  auto const* const told = std::getenv("PACKETWARP_PARITY_PACKETS");
  return told == nullptr ? 0 : std::strtoul(told, nullptr, 10);
}

// Few for large bursts, so that slots are used again within the corpus; for some small ones the fewest possible.
[[nodiscard]] std::uint32_t slots_for(std::uint32_t burst) {
  if (burst == 7) return 1;
  if (burst == 16) return 2;
  return burst <= 128 ? 32 : burst <= 1024 ? 8 : 2;
}

// A burst has another epoch than the one before it, except every third burst; each part of a word changes.
[[nodiscard]] epoch_number epoch_of(std::uint64_t burst) { return first_epoch + (burst - burst / 3) * 0x10'0000'0001; }

}  // namespace

std::string name_of(testing::TestParamInfo<parity_case> const& given) {
  auto const& [function, executor, where, burst, time] = given.param;
  auto name = fmt::format("{}_{}_{}_burst{}_{}ns", function.name, executor.name, to_string(where), burst, time.count());
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

void parity::SetUpTestSuite() {
  world_.reset(new world{.bed = packet_bed{make_corpus(packets_asked_for())}, .gpu = {}, .registrations = {}});
  if (find_gpus().empty()) return;
  world_->gpu = open_gpu(0);
  world_->registrations = register_packet_pools(0);
}

void parity::TearDownTestSuite() { world_.reset(); }

void parity::SetUp() {
  auto const& [function, on, where, burst, time] = GetParam();
  if (needs_gpu(on.kind) && !world_->gpu) GTEST_SKIP() << "no GPU here";
  world_->bed.expect(function.wanted);
  world_->bed.refill();
  ring_ = std::make_unique<burst_ring>(slots_for(burst), burst);
  gpu_settings settings;
  if (world_->gpu) settings.gpu = *world_->gpu;
  settings.packet_time = time;
  settings.timeout = gpu_timeout;
  settings.launches = on.launches;
  settings.blocks = on.blocks;
  settings.where = where;
  settings.route = where == placement::host ? packet_route::direct : packet_route::staged;
  settings.data_room = longest_segment;
  executor_ = function.make(on.kind, *ring_, time, settings);
  if (auto* const gpu = executor_->on_gpu()) gpu->start();
}

void parity::TearDown() {
  auto* const gpu = executor_ ? executor_->on_gpu() : nullptr;
  if (gpu == nullptr) return;
  EXPECT_EQ(gpu->stop(), end_state::ended);
}

void parity::publish_next(std::uint32_t size) {
  auto& open = *ring_->open();
  auto const begin = published_;
  for (; open.size < std::min(size, ring_->capacity()) && published_ < world_->bed.size(); ++published_) {
    open.packets[open.size++] = world_->bed.packet(published_);
    open.has_chained |= world_->bed.is_chained(published_);
  }
  in_flight_.push_back(open.size);
  auto const epoch = epoch_of(ring_->published());
  if (auto const& function = std::get<tested_function>(GetParam()); function.follows_epochs) {
    world_->bed.expect(function.wanted, begin, published_, epoch);
  }
  ring_->publish(epoch);
}

void parity::check_done() {
  for (auto* done = ring_->next_done(); done != nullptr; done = ring_->next_done()) {
    ASSERT_EQ(done->size, in_flight_.front());
    in_flight_.pop_front();
    auto const outcome = ring_->outcome();
    for (std::uint32_t i = 0; i < done->size; ++i, ++checked_) {
      ASSERT_EQ(done->packets[i], world_->bed.packet(checked_)) << "packet " << checked_ << " is out of order";
      ASSERT_EQ(world_->bed.difference(checked_, outcome.is_uniform() ? outcome.of_all() : done->verdicts[i]), "");
    }
    ring_->release();
  }
}

void parity::pass_corpus(feeding how, std::function<std::uint32_t()> const& next_size) {
  auto const* const gpu = executor_->on_gpu();
  while (checked_ < world_->bed.size()) {
    if (how == feeding::whenever_there_is_room || in_flight_.empty()) {
      while (published_ < world_->bed.size() && ring_->open() != nullptr) publish_next(next_size());
    }
    (void)executor_->poll();
    ASSERT_NO_FATAL_FAILURE(check_done());
    ASSERT_FALSE(gpu != nullptr && gpu->has_failed()) << "after " << checked_ << " packets";
  }
  EXPECT_EQ(executor_->poll(), 0u);
  if (gpu == nullptr) return;
  EXPECT_EQ(gpu->checked().wrong, 0u);
}

TEST_P(parity, of_whole_bursts) {
  pass_corpus(feeding::whenever_there_is_room, [this] { return burst_size(); });
}

// Bursts as they are when packets come slowly: of any size, and every other one is full, so that a slot's next lap
// needs words that the last one did not.
TEST_P(parity, of_bursts_that_are_partly_filled) {
  std::uint32_t n = 0;
  pass_corpus(feeding::whenever_there_is_room, [&] {
    auto const burst = n++;
    return burst % 2 == 1 ? burst_size() : 1 + burst / 2 * 97 % burst_size();
  });
}

// Polls that find nothing, a ring that fills at once, and nothing again.
TEST_P(parity, of_a_ring_that_is_empty_and_full_in_turn) {
  for (int n = 0; n < 1000; ++n) ASSERT_EQ(tested().poll(), 0u);
  pass_corpus(feeding::rounds, [this] { return burst_size(); });
  for (int n = 0; n < 1000; ++n) ASSERT_EQ(tested().poll(), 0u);
}

}  // namespace packetwarp::test
