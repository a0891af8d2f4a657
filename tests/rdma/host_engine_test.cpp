// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/engine/host_engine.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "base/error.h"
#include "queue_fixture.h"

namespace packetwarp::rdma {
namespace {

using test::queue_fixture;

class serving : public queue_fixture {
 protected:
  // Posts good writes around one that `spoil` changes, and expects that the first error is `status`.
  template <class Spoil>
  void expect_error(work_status status, Spoil const& spoil) {
    auto const slots = queue.reserve(single_thread{}, 8);
    for (std::uint32_t i = 0; i < slots.count; ++i) queue.post_write(slots, i, local + i * 8, remote + i * 8, 8);
    spoil(pair.parts().entries[3]);
    queue.commit(single_thread{}, slots);
    EXPECT_EQ(serve(), 8U);
    EXPECT_EQ(flush(slots), status);
    EXPECT_TRUE(engine.in_error());
    // Writes before the error have arrived, none after it.
    EXPECT_EQ(std::memcmp(target.data(), source.data(), 3 * 8), 0);
    for (std::size_t at = 3 * 8; at < target.size(); ++at) ASSERT_EQ(target[at], std::byte{0}) << at;
    EXPECT_EQ(engine.counters().writes, 3U);
    EXPECT_EQ(engine.counters().flushed, 4U);
    EXPECT_EQ(engine.counters().completions, 5U) << "of the error and the four after it";
    EXPECT_EQ(queue.reserve(single_thread{}, 1).count, 0U);
  }
};

TEST_F(serving, a_wrong_rkey_is_a_remote_access_error) {
  expect_error(work_status::remote_access_error,
               [&](auto& entry) { entry.segments[1].words[2] = big(remote.key ^ 1); });
  EXPECT_EQ(engine.counters().access_errors, 1U);
}
TEST_F(serving, an_rkey_of_no_region_is_a_remote_access_error) {
  expect_error(work_status::remote_access_error, [&](auto& entry) { entry.segments[1].words[2] = big(0xffff'ff00); });
}
TEST_F(serving, a_region_that_may_only_be_read_is_a_remote_access_error) {
  expect_error(work_status::remote_access_error,
               [&](auto& entry) { entry.segments[1] = remote_segment(local.address, local.key); });
}
TEST_F(serving, a_write_beyond_the_remote_region_is_a_remote_access_error) {
  expect_error(work_status::remote_access_error,
               [&](auto& entry) { entry.segments[1] = remote_segment(remote.address + 4089, remote.key); });
}
TEST_F(serving, a_write_before_the_remote_region_is_a_remote_access_error) {
  expect_error(work_status::remote_access_error,
               [&](auto& entry) { entry.segments[1] = remote_segment(remote.address - 1, remote.key); });
}
TEST_F(serving, an_address_that_wraps_is_a_remote_access_error) {
  expect_error(work_status::remote_access_error,
               [&](auto& entry) { entry.segments[1] = remote_segment(~std::uint64_t{0} - 3, remote.key); });
}
TEST_F(serving, a_wrong_lkey_is_a_local_protection_error) {
  expect_error(work_status::local_protection_error,
               [&](auto& entry) { entry.segments[2] = data_segment(local.address, local.key + 1, 8); });
  EXPECT_EQ(engine.counters().protection_errors, 1U);
}
TEST_F(serving, a_read_beyond_the_local_region_is_a_local_protection_error) {
  expect_error(work_status::local_protection_error,
               [&](auto& entry) { entry.segments[2] = data_segment(local.address + 4000, local.key, 97); });
}
TEST_F(serving, a_byte_count_of_none_is_a_local_length_error) {
  expect_error(work_status::local_length_error,
               [&](auto& entry) { entry.segments[2] = data_segment(local.address, local.key, 0); });
  EXPECT_EQ(engine.counters().length_errors, 1U);
}
TEST_F(serving, an_inline_payload_longer_than_the_entry_is_a_local_length_error) {
  expect_error(work_status::local_length_error,
               [&](auto& entry) { entry.segments[2].words[0] = big(inline_flag | (most_inline + 1)); });
}
TEST_F(serving, another_operation_is_a_local_operation_error) {
  expect_error(work_status::local_operation_error, [&](auto& entry) { entry.segments[0].words[0] ^= big(0x01); });
  EXPECT_EQ(engine.counters().operation_errors, 1U);
}
TEST_F(serving, an_index_of_another_lap_is_a_local_operation_error) {
  expect_error(work_status::local_operation_error,
               [&](auto& entry) { entry.segments[0] = control_segment(3 + entries, number, 3, 0); });
}
TEST_F(serving, another_queues_number_is_a_local_operation_error) {
  expect_error(work_status::local_operation_error,
               [&](auto& entry) { entry.segments[0] = control_segment(3, number + 1, 3, 0); });
}

TEST_F(serving, entries_beyond_the_doorbell_record_are_not_read) {
  auto const slots = write(4, 8);
  pair.parts().entries[4] = {};  // would be an error
  EXPECT_EQ(serve(), 4U);
  EXPECT_EQ(serve(), 0U);
  EXPECT_EQ(flush(slots), work_status::done);
}

// NVIDIA's device functions ring the doorbell, write the record, and ring the same doorbell again.
TEST_F(serving, a_record_that_is_written_after_the_doorbell_is_read) {
  auto const slots = queue.reserve(single_thread{}, 4);
  for (std::uint32_t i = 0; i < slots.count; ++i) queue.post_write(slots, i, local + i * 8, remote + i * 8, 8);
  *pair.parts().doorbell = 77;
  EXPECT_EQ(serve(), 0U);
  EXPECT_EQ(serve(), 0U);
  *pair.parts().send_record = send_record(4);
  EXPECT_EQ(serve(), 4U) << "though the doorbell has not changed";
  EXPECT_EQ(serve(), 0U);
  EXPECT_EQ(flush(slots), work_status::done);
  EXPECT_EQ(engine.counters().doorbells, 1U);
}
// As engine `roce`, so that a write is sent before its doorbell has come.
TEST_F(serving, a_consumer_that_is_told_by_the_record_needs_no_doorbell) {
  queue_consumer by_record{pair.parts(), told_by::record};
  EXPECT_EQ(by_record.look(), queue_consumer::news::none);
  auto const slots = queue.reserve(single_thread{}, 2);
  for (std::uint32_t i = 0; i < slots.count; ++i) queue.post_write(slots, i, local, remote, 8);
  *pair.parts().send_record = send_record(slots.end());
  EXPECT_EQ(by_record.look(), queue_consumer::news::entries);
  EXPECT_EQ(by_record.entries(), 2U);
  by_record.advance(2);
  *pair.parts().doorbell = 77;
  EXPECT_EQ(by_record.look(), queue_consumer::news::none);
  EXPECT_EQ(by_record.counters().doorbells, 1U);
  *pair.parts().send_record = send_record(slots.end() + pair.parts().size + 1);
  EXPECT_EQ(by_record.look(), queue_consumer::news::overrun);
}
// Once a record has brought something, it is not read again without a doorbell.
TEST_F(serving, a_record_without_a_doorbell_is_not_read) {
  (void)write(1, 8);
  EXPECT_EQ(serve(), 1U);
  auto const slots = queue.reserve(single_thread{}, 1);
  queue.post_write(slots, 0, local, remote, 8);
  *pair.parts().send_record = send_record(2);
  EXPECT_EQ(serve(), 0U);
}

TEST_F(serving, a_record_beyond_the_queue_is_an_overrun) {
  *pair.parts().send_record = send_record(entries + 1);
  *pair.parts().doorbell = 1;
  EXPECT_EQ(serve(), 1U);
  EXPECT_EQ(engine.counters().queue_overruns, 1U);
  EXPECT_EQ(flush({0, 1}), work_status::local_operation_error);
  EXPECT_EQ(target, std::vector<std::byte>(target.size()));
}

TEST_F(serving, completions_that_nobody_reads_are_an_overrun) {
  for (std::uint32_t n = 0; n <= entries; ++n) {
    reservation const slots{n, 1};
    queue.post_write(slots, 0, local, remote, 8);
    queue.commit(single_thread{}, slots);
    serve();
  }
  EXPECT_EQ(engine.counters().completions, entries);
  EXPECT_EQ(engine.counters().completion_overruns, 1U);
  EXPECT_TRUE(engine.in_error());
}

// Writes into a peer's memory, which has another address there than here.
class serving_a_peer : public queue_fixture {
 protected:
  static constexpr std::uint64_t address_there = 0x7f00'0000'1000;
  static constexpr std::uint32_t key_there = 0x12'3456;

  // The status of a write from the source's first bytes.
  work_status status_of(memory_place to, std::uint32_t bytes) {
    auto const slots = queue.reserve(single_thread{}, 1);
    queue.post_write(slots, 0, local, to, bytes);
    queue.commit(single_thread{}, slots);
    EXPECT_EQ(engine.serve(memory, 1'000), 1U);
    return flush(slots);
  }

  mapped_region mapped{{address_there, 4096, key_there, access::remote_write}, target.data()};
  reachable_memory memory{regions.ref(), mapped};
};

TEST_F(serving_a_peer, writes_to_the_place_here_of_an_address_there) {
  for (std::uint32_t const bytes : {1U, 2U, 7U, 8U, 64U, 1000U, 4096U}) {
    std::ranges::fill(target, std::byte{0});
    auto const at = 4096 - bytes;
    EXPECT_EQ(status_of({address_there + at, key_there}, bytes), work_status::done);
    EXPECT_EQ(std::memcmp(target.data() + at, source.data(), bytes), 0) << bytes;
    EXPECT_TRUE(std::all_of(target.begin(), target.end() - bytes, [](auto byte) { return byte == std::byte{0}; }));
  }
  EXPECT_EQ(engine.counters().writes, 7U);
  EXPECT_EQ(engine.counters().bytes, 1U + 2 + 7 + 8 + 64 + 1000 + 4096);
}
TEST_F(serving_a_peer, stores_a_signal_at_its_place_here) {
  auto const slots = queue.reserve(single_thread{}, 1);
  queue.post_signal(slots, 0, {address_there + 16, key_there}, 0x1122'3344'5566'7788);
  queue.commit(single_thread{}, slots);
  EXPECT_EQ(engine.serve(memory, 1'000), 1U);
  std::uint64_t found = 0;
  std::memcpy(&found, target.data() + 16, sizeof found);
  EXPECT_EQ(found, 0x1122'3344'5566'7788U);
}
TEST_F(serving_a_peer, knows_no_region_of_its_own_process_as_remote) {
  EXPECT_EQ(status_of(remote, 8), work_status::remote_access_error);
  EXPECT_EQ(target, std::vector<std::byte>(target.size()));
}
TEST_F(serving_a_peer, knows_the_rkey_and_bounds_of_the_peers_region_alone) {
  EXPECT_EQ(status_of({address_there + 4089, key_there}, 8), work_status::remote_access_error);
  EXPECT_EQ(engine.counters().access_errors, 1U);
  EXPECT_EQ(target, std::vector<std::byte>(target.size()));
}
TEST_F(serving_a_peer, does_not_take_the_peers_rkey_as_an_lkey) {
  local.key = key_there;
  EXPECT_EQ(status_of({address_there, key_there}, 8), work_status::local_protection_error);
}

TEST_F(serving, random_entries_write_nothing_outside_the_target) {
  std::minstd_rand random{7};
  std::vector<std::byte> const before = source;
  for (int round = 0; round < 20000; ++round) {
    queue_pair const other{{.size = 2, .number = number}};
    served_queue served{other.parts()};
    queue = other.ref();
    auto const slots = queue.reserve(single_thread{}, 1);
    queue.post_write(slots, 0, local, remote, 8);
    auto* const bytes = reinterpret_cast<std::byte*>(other.parts().entries);
    for (auto n = 1 + random() % 4; n != 0; --n) bytes[random() % 64] = static_cast<std::byte>(random());
    queue.commit(single_thread{}, slots);
    served.serve(regions.ref(), 1);
  }
  EXPECT_EQ(source, before);
}

TEST(region_table, is_bounded) {
  region_table regions;
  std::byte memory{};
  for (std::uint32_t n = 0; n < region_table::most_regions; ++n) (void)regions.add(&memory, 1, access::remote_write);
  EXPECT_THROW((void)regions.add(&memory, 1, access::remote_write), failure);
}

TEST(region_table, rights_and_bounds) {
  std::vector<std::byte> memory(100);
  region_table regions;
  auto const key = regions.add(memory.data(), memory.size(), access::remote_write);
  auto const at = reinterpret_cast<std::uint64_t>(memory.data());
  auto const ref = regions.ref();
  EXPECT_TRUE(ref.allows(key, at, 100, access::remote_write));
  EXPECT_TRUE(ref.allows(key, at + 99, 1, access::local_read));
  EXPECT_FALSE(ref.allows(key, at + 99, 2, access::local_read));
  EXPECT_FALSE(ref.allows(key, at, 101, access::local_read));
  EXPECT_FALSE(ref.allows(key, at, 1, access::local_write));
  EXPECT_FALSE(ref.allows(key + 256, at, 1, access::local_read));
}

}  // namespace
}  // namespace packetwarp::rdma
