// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/offload/offload_memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "burst/burst.h"
#include "executor/fake_processor.h"

namespace packetwarp {
namespace {

TEST(packet_descriptor, holds_any_address_of_user_space_and_any_length_of_an_mbuf) {
  for (auto const address :
       {std::uintptr_t{0}, std::uintptr_t{1}, std::uintptr_t{0x1234'5678'9abc}, std::uintptr_t{0x7fff'ffff'ffff}}) {
    auto* const data = reinterpret_cast<std::byte*>(address);
    for (auto const length : {0u, 1u, 14u, 2048u, 32768u, 65535u}) {
      for (std::uint64_t const turn : {0u, 1u}) {
        packet_descriptor const packet{data, static_cast<std::uint16_t>(length), turn};
        auto const read = packet_descriptor::from_raw(packet.raw());
        EXPECT_EQ(read.data(), data) << length << ' ' << turn;
        EXPECT_EQ(read.contiguous(), length) << address << ' ' << turn;
        EXPECT_EQ(read.turn(), turn) << address << ' ' << length;
      }
    }
  }
}

TEST(slot_header, holds_the_burst_s_position_and_size) {
  for (std::uint64_t const position : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0xffff'fffe},
                                       std::uint64_t{0xffff'ffff}, std::uint64_t{1} << 40}) {
    for (auto const size : {1u, 32u, max_burst_size}) {
      for (auto const chained : {0u, 1u}) {
        auto const read = slot_header::from_raw(slot_header{position, size, chained}.raw());
        EXPECT_EQ(read.size(), size);
        EXPECT_EQ(read.has_chained(), chained != 0);
        EXPECT_TRUE(read.is_of(position));
        EXPECT_FALSE(read.is_of(position + 1));
        EXPECT_FALSE(read.is_of(position - 1));
      }
    }
  }
}

TEST(slot_header, of_zeroed_memory_is_of_no_burst_before_four_billion) {
  for (std::uint64_t const position : {0u, 1u, 4096u, 0xffff'fffeu}) {
    EXPECT_FALSE(slot_header::from_raw(0).is_of(position));
  }
}

TEST(slot_epoch, holds_any_epoch_and_the_turn) {
  for (auto const epoch : {first_epoch, epoch_number{1} << 40, last_epoch}) {
    for (std::uint64_t const turn : {0u, 1u}) {
      auto const read = slot_epoch::from_raw(slot_epoch{epoch, turn}.raw());
      EXPECT_EQ(read.epoch(), epoch) << turn;
      EXPECT_EQ(read.turn(), turn) << epoch;
    }
  }
}

TEST(turn, alternates_with_laps_and_is_not_that_of_zeroed_memory_in_the_first) {
  for (std::uint32_t const slots : {1u, 2u, 16u, 4096u}) {
    for (std::uint64_t position = 0; position < 4 * slots; ++position) {
      ASSERT_EQ(turn_of(position, slots - 1), position / slots % 2 == 0 ? 1u : 0u) << slots;
    }
  }
}

TEST(offload_control, has_room_for_more_bursts_than_any_run_has) {
  EXPECT_EQ(offload_control::stop & offload_control::count_mask, 0u);
  EXPECT_EQ(offload_control::stall & offload_control::count_mask, 0u);
  EXPECT_EQ(offload_control::stop & offload_control::stall, 0u);
  EXPECT_EQ(offload_control::stop | offload_control::stall | offload_control::count_mask, ~std::uint64_t{0});
}

// A piece of shared memory: its name, its beginning, its end.
struct piece {
  std::string what;
  std::byte const* begin;
  std::byte const* end;
};

template <class T>
piece piece_of(std::string what, T const* first, std::size_t count) {
  auto const* const begin = reinterpret_cast<std::byte const*>(first);
  return {std::move(what), begin, begin + count * sizeof(T)};
}

std::vector<piece> pieces_of(offload_ring_ref const& ring, std::uint32_t slots) {
  std::vector<piece> all{piece_of("control", ring.control, 1), piece_of("done words", ring.done, slots)};
  for (std::uint32_t n = 0; n < slots; ++n) {
    all.push_back(piece_of(fmt::format("header {}", n), &ring.header(n), 1));
    all.push_back(piece_of(fmt::format("epoch {}", n), &ring.epoch(n), 1));
    all.push_back(piece_of(fmt::format("descriptors {}", n), ring.descriptors(n), ring.capacity));
    all.push_back(piece_of(fmt::format("verdicts {}", n), ring.verdicts_of(n), ring.capacity));
    all.push_back(piece_of(fmt::format("lengths {}", n), ring.lengths_of(n), ring.capacity));
    all.push_back(piece_of(fmt::format("rests {}", n), ring.rests_of(n), ring.capacity));
  }
  std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.begin < b.begin; });
  return all;
}

class layout : public testing::TestWithParam<std::tuple<std::uint32_t, std::uint32_t>> {
 protected:
  std::uint32_t const slots_{std::get<0>(GetParam())};
  std::uint32_t const burst_{std::get<1>(GetParam())};
  offload_layout const layout_{{.slots = slots_, .burst = burst_}};
  test::offload_plain_memory const memory_{layout_};
  offload_ring_ref const& ring_{memory_.ring()};
};

TEST_P(layout, gives_each_piece_memory_of_its_own_and_uses_no_more_than_it_says) {
  auto const all = pieces_of(ring_, slots_);
  auto const* const begin = reinterpret_cast<std::byte const*>(ring_.control);
  EXPECT_EQ(all.front().begin, begin) << all.front().what;
  for (std::size_t i = 1; i < all.size(); ++i) {
    ASSERT_LE(all[i - 1].end, all[i].begin) << all[i - 1].what << " reaches into " << all[i].what;
  }
  EXPECT_LE(all.back().end, begin + layout_.host_bytes()) << all.back().what;
  auto const* const device = reinterpret_cast<std::byte const*>(ring_.taken);
  auto const* const tallies = reinterpret_cast<std::byte const*>(ring_.tallies);
  EXPECT_GE(tallies, device + sizeof *ring_.taken);
  EXPECT_LE(tallies + slots_ * sizeof(unit_tally), device + layout_.device_bytes());
}

template <class T>
std::uintptr_t beyond(std::size_t alignment, T const* data) {
  return reinterpret_cast<std::uintptr_t>(data) % alignment;
}

TEST_P(layout, puts_each_piece_where_its_reader_wants_it) {
  constexpr std::size_t line = 128;
  EXPECT_EQ(beyond(line, ring_.control), 0u);
  EXPECT_EQ(beyond(line, ring_.done), 0u);
  EXPECT_EQ(beyond(line, ring_.verdicts), 0u);
  EXPECT_EQ(beyond(line, ring_.lengths), 0u);
  for (std::uint32_t n = 0; n < slots_; ++n) ASSERT_EQ(beyond(line, ring_.slot(n)), 0u) << "slot " << n;
  for (std::uint32_t n = 0; n < slots_; ++n) ASSERT_EQ(beyond(16, ring_.descriptors(n)), 0u) << "slot " << n;
}

// Staged, every packet of a slot has a cell that holds the longest at any alignment, and none is another's.
TEST_P(layout, has_a_cell_for_every_staged_packet) {
  EXPECT_EQ(ring_.staging.cells, nullptr) << "where nothing is staged there is none";
  for (std::uint32_t const longest : {1u, 128u, 2048u, 65535u}) {
    offload_layout const staged{{.slots = slots_, .burst = burst_, .staged = longest}};
    std::vector<std::byte> host(staged.host_bytes());
    std::byte device{};  // only its address counts
    auto const ring = staged.place(host, &device);
    EXPECT_EQ(ring.staging.cell_bytes % 16, 0u);
    EXPECT_GE(ring.staging.cell_bytes, longest + 15);
    EXPECT_GE(ring.staging.cells, reinterpret_cast<std::byte*>(ring.tallies + slots_));
    EXPECT_EQ(ring.cell_of(0, 1) - ring.cell_of(0, 0), ring.staging.cell_bytes);
    auto const* const behind = ring.cell_of(0, ring.capacity - 1) + ring.staging.cell_bytes;
    EXPECT_TRUE(slots_ == 1 || ring.cell_of(1, 0) == behind);
    EXPECT_EQ(ring.cell_of(slots_, 0), ring.cell_of(0, 0)) << "a lap later";
    EXPECT_EQ(ring.cell_of(slots_ - 1, ring.capacity - 1) + ring.staging.cell_bytes, &device + staged.device_bytes());
  }
}

TEST_P(layout, has_room_for_whole_units_and_for_no_more_than_are_needed) {
  EXPECT_GE(ring_.capacity, burst_);
  EXPECT_LT(ring_.capacity, burst_ + packets_per_unit);
  EXPECT_EQ(ring_.capacity, ring_.units * packets_per_unit);
}

TEST_P(layout, splits_a_burst_among_as_many_units_as_it_needs) {
  for (std::uint32_t const unit : {32u, 64u}) {
    offload_layout const made{{.slots = slots_, .burst = burst_, .unit = unit}};
    std::vector<std::byte> host(made.host_bytes());
    std::byte device{};  // only its address counts
    auto const ring = made.place(host, &device);
    EXPECT_GE(ring.units * unit, burst_);
    EXPECT_LT((ring.units - 1) * unit, burst_);
    EXPECT_LE(ring.units * unit, ring.capacity) << "each lane of a unit reads a descriptor";
  }
}

TEST_P(layout, uses_a_slot_again_when_all_have_been_used) {
  for (std::uint64_t const round : {std::uint64_t{1}, std::uint64_t{1} << 33}) {
    for (std::uint32_t n = 0; n < slots_; ++n) {
      auto const later = round * slots_ + n;
      ASSERT_EQ(ring_.slot(later), ring_.slot(n));
      ASSERT_EQ(ring_.verdicts_of(later), ring_.verdicts_of(n));
      ASSERT_EQ(ring_.lengths_of(later), ring_.lengths_of(n));
    }
  }
}

TEST_P(layout, starts_with_no_burst_done) {
  for (std::uint32_t n = 0; n < slots_; ++n) ASSERT_EQ(ring_.done[n].value, 0u);
  EXPECT_EQ(ring_.control->given, 0u);
}

std::string name_of(testing::TestParamInfo<layout::ParamType> const& given) {
  return fmt::format("{}x{}", std::get<0>(given.param), std::get<1>(given.param));
}

INSTANTIATE_TEST_SUITE_P(of, layout,
                         testing::Combine(testing::Values(1u, 2u, 4u, 16u, 256u),
                                          testing::Values(1u, 2u, 14u, 15u, 31u, 63u, 64u, 65u, 127u, 128u, 1000u,
                                                          max_burst_size)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(of_many_slots, layout,
                         testing::Combine(testing::Values(4096u), testing::Values(1u, 64u, 100u)), name_of);

}  // namespace
}  // namespace packetwarp
