// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/gpu_frames.h"

#include <gtest/gtest.h>
#include <rte_mbuf.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/error.h"
#include "fixtures/mbufs.h"
#include "rdma/network/roce_port.h"
#include "rdma/roce/frame.h"

// The mbufs of a port's thread, with a GPU whose part the test plays: it fills blanks, and says how many.
namespace packetwarp::rdma::test {
namespace {

using namespace packetwarp::test;

constexpr std::size_t lead = 2, line = 128;
constexpr std::uint32_t packets = 511;

class frames_of_a_gpu : public testing::Test {
 protected:
  // As many as stand in `lengths`, whose bytes are numbers of their own.
  void make(std::size_t queue, std::vector<std::uint16_t> const& lengths) {
    auto& box = *boxes_[queue];
    for (auto const bytes : lengths) {
      auto const place = made_[queue] % roce::mailbox::most_blanks;
      ASSERT_TRUE(roce::is_blank(box.blanks[place], made_[queue]));
      auto* const first = reinterpret_cast<std::byte*>(roce::address_of_blank(box.blanks[place]));
      auto* const rest = reinterpret_cast<std::byte*>(roce::address_of_blank(box.rests[place]));
      EXPECT_EQ(roce::is_blank(box.rests[place], made_[queue]), pieces_ == roce::frame_pieces::two);
      for (std::uint32_t i = 0; i < bytes; ++i) {
        bool const is_behind = pieces_ == roce::frame_pieces::two && i >= roce::first_piece_bytes;
        (is_behind ? rest[i - roce::first_piece_bytes] : first[i]) = static_cast<std::byte>(i * 7);
      }
      box.lengths[place] = bytes;
      ++made_[queue];
    }
    box.told = roce::told_word(made_[queue], 0);
  }
  void give() { frames_.give({&firsts_.get(), pieces_ == roce::frame_pieces::two ? &rests_.get() : nullptr}); }
  // The lengths of the frames that are taken, each of which is right.
  [[nodiscard]] std::vector<std::uint32_t> take() {
    std::array<rte_mbuf*, 64> room{};
    std::vector<std::uint32_t> found;
    for (auto const count = frames_.take(room); auto* const packet : std::span{room}.first(count)) {
      auto const bytes = bytes_of(*packet);
      rte_mbuf_sanity_check(packet, 1);
      EXPECT_EQ(bytes.size(), packet->pkt_len);
      for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(bytes[i], static_cast<std::byte>(i * 7)) << i;
      found.push_back(packet->pkt_len);
      rte_pktmbuf_free(packet);
    }
    return found;
  }

  roce::frame_pieces pieces_{roce::frame_pieces::two};
  packet_pool firsts_{small_pool("gpu_firsts", packets, 78 + gpu_frames::room_to_align)};
  packet_pool rests_{small_pool("gpu_rests", packets, 4352)};
  std::array<std::unique_ptr<roce::mailbox>, 2> boxes_{std::make_unique<roce::mailbox>(),
                                                       std::make_unique<roce::mailbox>()};
  std::array<std::uint64_t, 2> made_{};
  std::vector<roce::mailbox_end> ends_{roce::mailbox_end{*boxes_[0]}, roce::mailbox_end{*boxes_[1]}};
  gpu_frames frames_{ends_, lead};
};

TEST_F(frames_of_a_gpu, in_two_pieces_are_chains_of_which_the_first_mbuf_begins_at_a_line) {
  give();
  for (std::size_t n = 0; n < gpu_frames::blanks_per_queue; ++n) {
    EXPECT_EQ((roce::address_of_blank(boxes_[0]->blanks[n]) - lead) % line, 0U);
    EXPECT_EQ(roce::address_of_blank(boxes_[0]->rests[n]) % 16, 0U);
  }
  make(0, {138, 79, 4170, 1098});
  make(1, {90});
  EXPECT_EQ(take(), (std::vector<std::uint32_t>{138, 79, 4170, 1098, 90}));
  EXPECT_EQ(take(), std::vector<std::uint32_t>{});
  frames_.release();
  EXPECT_EQ(firsts_.available(), packets);
  EXPECT_EQ(rests_.available(), packets);
}

TEST_F(frames_of_a_gpu, that_fit_a_first_piece_are_one_mbuf_and_the_other_one_is_freed) {
  give();
  make(0, {62, 78});
  EXPECT_EQ(rests_.available(), packets - 2 * gpu_frames::blanks_per_queue);
  EXPECT_EQ(take(), (std::vector<std::uint32_t>{62, 78}));
  EXPECT_EQ(rests_.available(), packets - 2 * gpu_frames::blanks_per_queue + 2);
  EXPECT_EQ(firsts_.available(), packets - 2 * gpu_frames::blanks_per_queue + 2);
  frames_.release();
  EXPECT_EQ(rests_.available(), packets);
}

TEST_F(frames_of_a_gpu, come_again_over_laps_of_the_ring) {
  for (std::uint32_t round = 0; round < 100; ++round) {
    give();
    std::vector<std::uint16_t> const lengths(round % 33, static_cast<std::uint16_t>(62 + 13 * round));
    make(round % 2, lengths);
    EXPECT_EQ(take(), std::vector<std::uint32_t>(lengths.begin(), lengths.end()));
  }
  frames_.release();
  EXPECT_EQ(firsts_.available(), packets);
  EXPECT_EQ(rests_.available(), packets);
}

// A pool without mbufs leaves the other one as it was.
TEST_F(frames_of_a_gpu, wait_for_both_pools) {
  std::vector<rte_mbuf*> taken(packets - 40);
  ASSERT_EQ(rte_pktmbuf_alloc_bulk(&rests_.get(), taken.data(), static_cast<unsigned>(taken.size())), 0);
  give();
  EXPECT_EQ(rests_.available(), 8U);
  EXPECT_EQ(firsts_.available(), packets - 32);
  rte_pktmbuf_free_bulk(taken.data(), static_cast<unsigned>(taken.size()));
  give();
  EXPECT_EQ(firsts_.available(), packets - 2 * gpu_frames::blanks_per_queue);
  frames_.release();
  EXPECT_EQ(rests_.available(), packets);
}

TEST_F(frames_of_a_gpu, in_one_piece_need_no_other_pool) {
  pieces_ = roce::frame_pieces::one;
  frames_.give({&rests_.get()});
  make(0, {62, 138, 4170});
  EXPECT_EQ(take(), (std::vector<std::uint32_t>{62, 138, 4170}));
  EXPECT_EQ(firsts_.available(), packets);
  frames_.release();
  EXPECT_EQ(rests_.available(), packets);
}

// A pool whose packets' data is elsewhere, as a GPU's is.
class pool_elsewhere {
 public:
  pool_elsewhere()
      : memory_{static_cast<std::byte*>(std::aligned_alloc(line, room * packets))}, pool_{create(memory_.get())} {}
  [[nodiscard]] rte_mempool* get() const { return pool_.get(); }
  [[nodiscard]] bool has(std::uint64_t address, std::size_t bytes) const {
    auto const begin = reinterpret_cast<std::uint64_t>(memory_.get());
    return address >= begin && address + bytes <= begin + room * packets;
  }
  [[nodiscard]] unsigned available() const { return rte_mempool_avail_count(pool_.get()); }

 private:
  static constexpr std::uint16_t room = 4480;
  static rte_mempool* create(std::byte* memory) {
    rte_pktmbuf_extmem const place{
        .buf_ptr = memory, .buf_iova = RTE_BAD_IOVA, .buf_len = std::size_t{room} * packets, .elt_size = room};
    return rte_pktmbuf_pool_create_extbuf("elsewhere", packets, 0, 0, room, SOCKET_ID_ANY, &place, 1);
  }
  struct free_memory {
    void operator()(std::byte* data) const { std::free(data); }
  };
  struct free_pool {
    void operator()(rte_mempool* pool) const { rte_mempool_free(pool); }
  };
  std::unique_ptr<std::byte, free_memory> memory_;
  std::unique_ptr<rte_mempool, free_pool> pool_;
};

TEST_F(frames_of_a_gpu, are_whole_in_memory_elsewhere_and_their_mbufs_go_on_to_say_so) {
  pieces_ = roce::frame_pieces::one;
  pool_elsewhere const pool;
  ASSERT_NE(pool.get(), nullptr);
  for (std::uint32_t round = 0; round < 40; ++round) {
    frames_.give({pool.get()});
    for (auto const slot : boxes_[0]->blanks) {
      if (slot == 0) continue;
      EXPECT_TRUE(pool.has(roce::address_of_blank(slot), 4170));
    }
    make(0, {62, 138, 4170});
    std::array<rte_mbuf*, 8> room{};
    ASSERT_EQ(frames_.take(room), 3U);
    for (auto* const packet : std::span{room}.first(3)) {
      EXPECT_TRUE(RTE_MBUF_HAS_EXTBUF(packet));
      EXPECT_EQ(packet->hash.fdir.hi, 0U);
      rte_mbuf_sanity_check(packet, 1);
      rte_pktmbuf_free(packet);
    }
  }
  frames_.release();
  EXPECT_EQ(pool.available(), packets);
}

TEST(frames_in_gpu_memory, are_refused_on_a_port_that_does_not_split_packets_into_it) {
  port_facts facts;
  facts.name = "net_memif0";
  facts.driver = "net_memif";
  try {
    require_frames_on_gpu(facts);
    FAIL() << "it was taken";
  } catch (usage_error const& wrong) {
    EXPECT_STREQ(wrong.what(),
                 "rdma: port net_memif0 (net_memif) does not split packets into a GPU's memory, as --frames gpu needs: "
                 "give --frames host, or a port of a NIC that does (packetwarp doctor --only rdma)");
  }
  facts.access = packet_access::rdma;
  facts.rx_offloads = RTE_ETH_RX_OFFLOAD_SCATTER | RTE_ETH_RX_OFFLOAD_BUFFER_SPLIT;
  facts.tx_offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
  EXPECT_NO_THROW(require_frames_on_gpu(facts));
}

}  // namespace
}  // namespace packetwarp::rdma::test
