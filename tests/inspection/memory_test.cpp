// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "inspection/connections.h"
#include "inspection/stage_bed.h"

namespace packetwarp::test {
namespace {

enum class shortage : std::uint8_t { none, of_one_allocation, of_all_from_one_on };

struct memory_of_process {
  shortage what{};
  unsigned left{};  // allocations before the shortage
  bool has_failed{};

  [[nodiscard]] bool fails() {
    if (what == shortage::none) return false;
    if (left != 0) return --left, false;
    if (what == shortage::of_one_allocation) what = shortage::none;
    return has_failed = true;
  }
};

[[nodiscard]] memory_of_process& memory() {
  thread_local memory_of_process one;
  return one;
}

}  // namespace
}  // namespace packetwarp::test

// GCC takes a call of these that it has inlined for a mixture of new and free.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

void* operator new(std::size_t size) {
  if (packetwarp::test::memory().fails()) throw std::bad_alloc{};
  if (auto* const made = std::malloc(size == 0 ? 1 : size)) return made;
  throw std::bad_alloc{};
}
void* operator new(std::size_t size, std::nothrow_t const&) noexcept {
  return packetwarp::test::memory().fails() ? nullptr : std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace packetwarp::test {
namespace {

using inspection_parts::fate;

// "a virus", as Python's gzip.compress() writes it.
constexpr std::array<unsigned char, 27> gzip_of_virus{0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02,
                                                      0x03, 0x4b, 0x54, 0x28, 0xcb, 0x2c, 0x2a, 0x2d, 0x06,
                                                      0x00, 0xf4, 0x21, 0x8c, 0x4b, 0x07, 0x00, 0x00, 0x00};

// A connection with segments that wait, a request with a body, an encoded response, and bytes of no message.
[[nodiscard]] std::vector<frame_bytes> long_talk() {
  connection const made{4000};
  auto frames = made.handshake();
  std::string const request =
      "POST /evil HTTP/1.1\r\nHost: example.org\r\nUser-Agent: bad tool\r\nContent-Length: "
      "20\r\n\r\nuser=me&password=abc";
  frames.push_back(made.segment(0, 60, request.substr(60)));
  frames.push_back(made.segment(0, 0, request.substr(0, 60)));
  std::string response = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 27\r\n\r\n";
  for (auto const byte : gzip_of_virus) response.push_back(static_cast<char>(byte));
  append(frames, made.segments(1, response, 70));
  auto const end = static_cast<std::uint32_t>(request.size());
  frames.push_back(made.segment(0, end, "a secret word and id=99999& more"));
  return frames;
}

struct outcome {
  bool has_failed{};
  inspection_counts counts{};
  alerts_by_sid alerts{};
};

// The talk, during whose n-th packet memory is short after this many allocations. Later packets have memory.
[[nodiscard]] outcome judged(shortage what, std::size_t packet, unsigned allocations) {
  stage_bed bed{rules_for_streams, {.flows = 64, .rates = 64, .streams = {.streams = 64}}};
  auto frames = long_talk();
  auto const room = std::make_unique<inspection::room>();
  room->marks = {};
  std::vector<fate> fates;
  fates.reserve(frames.size() + 1);
  for (std::size_t n = 0; n < frames.size(); ++n) {
    if (n == packet) memory() = {.what = what, .left = allocations};
    bed.judge_group({&frames[n], 1}, 0, *room, fates);
    if (n == packet) memory().what = shortage::none;
  }
  outcome made{.has_failed = memory().has_failed};
  memory() = {};
  EXPECT_EQ(fates, std::vector(frames.size(), fate::goes_on));
  bed.read();
  made.alerts = bed.alerts();
  made.counts = bed.counts();
  // A stranger's connection, and the end of both: other connections of their ports begin.
  connection const stranger{4001};
  auto after = stranger.handshake();
  append(after, stranger.segments(0, "a secret word", 5));
  append(after, connection{4000, "10.0.0.1", 1}.handshake());
  append(after, connection{4001, "10.0.0.1", 1}.handshake());
  (void)bed.judge(after, 32);
  auto wanted = made.alerts;
  ++wanted[1];
  EXPECT_EQ(bed.alerts(), wanted) << "the stranger's alert";
  EXPECT_EQ(bed.table().streams().streams, 0U);
  EXPECT_EQ(bed.table().streams().bytes, 0U) << "the memory of all is counted back";
  return made;
}

class short_memory : public testing::TestWithParam<shortage> {};
INSTANTIATE_TEST_SUITE_P(of, short_memory, testing::Values(shortage::of_one_allocation, shortage::of_all_from_one_on));

// Each allocation of each packet fails once.
TEST_P(short_memory, a_connection_gives_way_and_is_counted) {
  auto const packets = long_talk().size();
  auto const usual = judged(shortage::none, 0, 0);
  EXPECT_GE(usual.alerts.size(), 5U);
  std::uint64_t given_up = 0;
  std::uint64_t unjudged = 0;
  unsigned failures = 0;
  for (std::size_t n = 0; n < packets; ++n) {
    for (unsigned allocations = 0;; ++allocations) {
      auto const seen = judged(GetParam(), n, allocations);
      if (!seen.has_failed) break;
      ++failures;
      EXPECT_LE(seen.counts.given_up_for_memory, 1U);
      EXPECT_LE(seen.counts.without_memory, 1U);
      given_up += seen.counts.given_up_for_memory;
      unjudged += seen.counts.without_memory;
      // No rule alerts more often than with memory, apart from rules of packets that now are judged alone.
      for (auto const& [sid, count] : seen.alerts) {
        if (sid == 1 || sid == 9 || sid == 11) continue;
        EXPECT_LE(count, usual.alerts.contains(sid) ? usual.alerts.at(sid) : 0U) << sid;
      }
    }
  }
  EXPECT_GE(failures, 40U);
  EXPECT_GE(given_up, 30U);
  EXPECT_GT(GetParam() == shortage::of_all_from_one_on ? unjudged : 1U, 0U);
}

}  // namespace
}  // namespace packetwarp::test
