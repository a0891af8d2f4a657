// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "feature/write_row.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>

#include "feature/traffic.h"
#include "feature/write_row_avx512.h"

namespace packetwarp::test::features {
namespace {

// Bytes beside the row show whether more is written.
[[nodiscard]] row row_by(void (*write)(feature::row_sources const&, std::int8_t*),
                         feature::row_sources const& sources) {
  constexpr std::int8_t untouched = 85;
  std::array<std::int8_t, model::row_bytes + 2> all;
  all.fill(untouched);
  write(sources, all.data() + 1);
  EXPECT_EQ(all.front(), untouched);
  EXPECT_EQ(all.back(), untouched);
  row made;
  std::copy_n(all.begin() + 1, made.size(), made.begin());
  return made;
}

void expect_same_row(feature::row_sources const& sources, std::size_t number) {
  auto const plain = row_by(feature::write_row_plainly, sources);
  auto const expect_row = [&](row const& by_vectors) {
    for (std::size_t i = 0; i < plain.size(); ++i) {
      ASSERT_EQ(int{by_vectors[i]}, int{plain[i]})
          << number << ": " << (i < feature::features ? feature::names[i] : "no feature");
    }
  };
  expect_row(row_by(feature::write_row_avx2, sources));
  if (::testing::Test::HasFatalFailure()) return;
  if (feature::has_avx512_rows()) expect_row(row_by(feature::write_row_avx512, sources));
}

class random_sources {
 public:
  // Numbers of all magnitudes, and often the ones at which a level begins.
  [[nodiscard]] std::uint64_t number(unsigned bits) {
    auto const value = random_() >> (64 - bits) >> below(bits);
    switch (below(4)) {
      case 0:
        return 0;
      case 1:
        return step(value);
      case 2:
        return step(value) - 1;
      default:
        return value;
    }
  }
  [[nodiscard]] std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }

  [[nodiscard]] feature::packet_facts facts() {
    if (below(8) == 0) return {.length = static_cast<std::uint32_t>(number(16))};
    feature::packet_facts made{.length = static_cast<std::uint32_t>(number(16))};
    made.payload = static_cast<std::uint16_t>(number(16));
    made.source_port = static_cast<std::uint16_t>(number(16));
    made.destination_port = static_cast<std::uint16_t>(number(16));
    made.window = static_cast<std::uint16_t>(number(16));
    made.ip_version = below(2) == 0 ? 4 : 6;
    made.kind = static_cast<feature::transport>(below(5));
    made.tcp_flags = static_cast<std::uint8_t>(below(256));
    made.tcp_options = static_cast<std::uint8_t>(4 * below(11));
    made.has_ports = static_cast<std::uint8_t>(below(2));
    made.is_fragment = static_cast<std::uint8_t>(below(2));
    return made;
  }
  [[nodiscard]] feature::flow_state flow(std::uint64_t epoch) {
    feature::flow_state made{};
    if (below(8) == 0) return made;
    for (auto* const count : {&made.packets[0], &made.packets[1], &made.bytes[0], &made.bytes[1], &made.rate}) {
      *count = static_cast<std::uint32_t>(number(32));
    }
    for (auto* const count : {&made.longest, &made.shortest, &made.syn, &made.fin, &made.rst, &made.marks}) {
      *count = static_cast<std::uint16_t>(number(16));
    }
    made.first = epoch - std::min(epoch, number(40));
    made.last = epoch - std::min(epoch, number(40));
    return made;
  }
  // All words of it are counts or sets.
  [[nodiscard]] feature::host_state host() {
    std::array<std::uint32_t, sizeof(feature::host_state) / sizeof(std::uint32_t)> words;
    for (auto& word : words) word = static_cast<std::uint32_t>(below(16) == 0 ? ~0U : number(32));
    feature::host_state made;
    std::memcpy(&made, words.data(), sizeof made);
    return made;
  }

 private:
  // The value with its three highest bits only.
  [[nodiscard]] static std::uint64_t step(std::uint64_t value) {
    constexpr unsigned kept = 3;
    auto const bits = static_cast<unsigned>(std::bit_width(value));
    return bits <= kept ? value : value >> (bits - kept) << (bits - kept);
  }

  std::mt19937_64 random_{7};
};

TEST(feature_write_row, has_the_same_bytes_by_vector_instructions) {
  if (__builtin_cpu_supports("avx2") == 0) GTEST_SKIP() << "this processor has no AVX2";
  random_sources any;
  constexpr std::uint64_t epoch = std::uint64_t{1} << 45;
  for (std::size_t n = 0; n < 100'000; ++n) {
    auto const facts = any.facts();
    auto const flow = any.flow(epoch);
    auto const source = any.host();
    auto const destination = any.host();
    bool const has_records = facts.ip_version != 0;
    expect_same_row({.facts = facts,
                     .flow = has_records && any.below(8) != 0 ? &flow : nullptr,
                     .source = has_records && any.below(8) != 0 ? &source : nullptr,
                     .destination = has_records && any.below(8) != 0 ? &destination : nullptr,
                     .epoch = epoch,
                     .direction = any.below(2)},
                    n);
    if (HasFatalFailure()) return;
  }
}

// A count alone, so that each step of each magnitude is there.
TEST(feature_write_row, has_each_level_at_the_same_counts_by_vector_instructions) {
  if (__builtin_cpu_supports("avx2") == 0) GTEST_SKIP() << "this processor has no AVX2";
  feature::host_state host{};
  feature::packet_facts const facts{.length = 60, .ip_version = 4};
  constexpr unsigned most_bits = 32;
  for (unsigned bit = 2; bit < most_bits; ++bit) {
    for (std::uint64_t quarter = 4; quarter < 9; ++quarter) {
      for (std::int64_t const beside : {-1, 0, 1}) {
        auto const count = (quarter << bit >> 2) + static_cast<std::uint64_t>(beside);
        if (count >> most_bits != 0) continue;
        host.sent.packets = host.got.syn = static_cast<std::uint32_t>(count);
        expect_same_row(
            {.facts = facts, .flow = nullptr, .source = &host, .destination = &host, .epoch = 5, .direction = 0},
            count);
      }
    }
  }
}

}  // namespace
}  // namespace packetwarp::test::features
