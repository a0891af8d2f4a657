// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/gpu_requests.h"

#include <gtest/gtest.h>
#include <rte_mbuf.h>

#include <array>
#include <memory>
#include <vector>

#include "fixtures/eal_environment.h"
#include "fixtures/mbufs.h"
#include "rdma/region_table.h"

// The thread of a port, with a GPU whose part the test plays: it says how many frames it has read.
namespace packetwarp::rdma::test {
namespace {

using namespace packetwarp::test;
using fate = gpu_requests::fate;

[[maybe_unused]] auto* const eal = testing::AddGlobalTestEnvironment(new eal_environment);

constexpr std::uint32_t first_number = 0x40;
constexpr std::size_t queues = 2;
constexpr auto most = roce::inbox::most_frames;

[[nodiscard]] std::vector<roce::connection_settings> settings_of_all() {
  std::vector<roce::connection_settings> made;
  for (std::uint32_t n = 0; n < queues; ++n) {
    roce::connection_settings one{.local_number = first_number + n, .remote_number = 0x80 + n};
    one.path = {.source_mac = wire::mac_address::from_number(0x0200'0000'0022),
                .destination_mac = wire::mac_address::from_number(0x0200'0000'0011),
                .source = {0x0a09'0002},
                .destination = {0x0a09'0001}};
    one.how.mtu = 1024;
    made.push_back(one);
  }
  return made;
}

class requests_to_a_gpu : public testing::Test {
 protected:
  // A write of the peer to a queue.
  [[nodiscard]] rte_mbuf& request(std::uint32_t queue, std::uint32_t psn, std::uint32_t bytes = 64) {
    return request_to({.queue_number = first_number + queue, .psn = psn, .length = bytes});
  }
  [[nodiscard]] rte_mbuf& request_to(roce::packet_fields const& fields) {
    auto const bytes = fields.length;
    auto const& path = settings_[0].path;
    roce::frame_path const from_peer{.source_mac = path.destination_mac,
                                     .destination_mac = path.source_mac,
                                     .source = path.destination,
                                     .destination = path.source};
    std::vector<std::byte> const payload(bytes);
    std::vector<std::byte> frame(roce::frame_bytes(fields.code, bytes));
    roce::write_frame(frame.data(), from_peer, fields, payload.data(), bytes);
    return *make_packet(pool_, frame);
  }
  // The port's thread frees a packet that the GPU does not take.
  fate take(rte_mbuf& packet) {
    auto const said = requests_.take(packet);
    if (said != fate::kept) rte_pktmbuf_free(&packet);
    return said;
  }
  // The GPU has read so many frames of a queue in all.
  void read(std::size_t queue, std::uint64_t frames) { boxes_[queue].told = frames; }

  packet_pool pool_{small_pool("gpu_requests")};
  unsigned const packets_{pool_.available()};
  std::vector<roce::connection_settings> settings_{settings_of_all()};
  std::array<roce::inbox, queues> boxes_{};
  std::vector<roce::inbox_end> ends_{roce::inbox_end{boxes_[0]}, roce::inbox_end{boxes_[1]}};
  gpu_requests requests_{ends_, settings_};
  std::uint64_t given_{};  // frames of queue 0, by a test that counts them
  region_table regions_;
  roce::roce_engine engine_{regions_.ref()};
};

TEST_F(requests_to_a_gpu, beyond_the_room_of_a_queue_are_dropped_and_counted_and_another_queue_has_its_own_room) {
  for (std::uint32_t n = 0; n < most; ++n) ASSERT_EQ(take(request(0, n)), fate::kept) << n;
  for (std::uint32_t n = 0; n < 5; ++n) EXPECT_EQ(take(request(0, most + n)), fate::dropped);
  EXPECT_EQ(requests_.dropped(), 5U);
  EXPECT_EQ(take(request(1, 0)), fate::kept);
  EXPECT_EQ(pool_.available(), packets_ - most - 1);
  // The GPU has read some: they are freed, and there is as much room again, over a lap of the ring.
  constexpr std::uint32_t some = 100;
  read(0, some);
  EXPECT_EQ(requests_.collect(engine_), 0U);
  EXPECT_EQ(pool_.available(), packets_ - most - 1 + some);
  for (std::uint32_t n = 0; n < some; ++n) ASSERT_EQ(take(request(0, n)), fate::kept) << n;
  EXPECT_EQ(take(request(0, some)), fate::dropped);
  EXPECT_EQ(requests_.dropped(), 6U);
  requests_.release();
  EXPECT_EQ(pool_.available(), packets_);
}

TEST_F(requests_to_a_gpu, longer_than_the_mtu_are_dropped_and_counted) {
  EXPECT_EQ(take(request(0, 0, 1024)), fate::kept);
  EXPECT_EQ(take(request(0, 1, 1025)), fate::dropped);
  EXPECT_EQ(requests_.dropped(), 1U);
  requests_.release();
  EXPECT_EQ(pool_.available(), packets_);
}

// As a port receives them that splits packets.
TEST_F(requests_to_a_gpu, in_two_pieces_are_given_as_such_without_a_look_at_the_second_one) {
  gpu_requests split{ends_, settings_, roce::frame_pieces::two};
  auto const cut = [this](rte_mbuf& whole, std::uint16_t first) {
    auto const bytes = bytes_of(whole);
    rte_pktmbuf_free(&whole);
    auto* const head = make_packet(pool_, std::span{bytes}.first(first));
    EXPECT_EQ(rte_pktmbuf_chain(head, make_packet(pool_, std::span{bytes}.subspan(first))), 0);
    return head;
  };
  // The bytes of a request of 64: headers of 70, the payload, and 4 of ICRC; 70 is the least with all headers.
  for (std::uint16_t const first : {std::uint16_t{70}, std::uint16_t{78}, std::uint16_t{137}}) {
    auto* const packet = cut(request(0, 0), first);
    auto const place = given_++;
    ASSERT_EQ(split.take(*packet), fate::kept);
    auto const here = boxes_[0].frames[place], behind = boxes_[0].rests[place];
    ASSERT_TRUE(roce::is_frame(here, place) && roce::is_frame(behind, place));
    EXPECT_EQ(roce::address_of_frame(here), rte_pktmbuf_mtod(packet, std::uint64_t));
    EXPECT_EQ(roce::bytes_of_frame(here), first);
    EXPECT_EQ(roce::address_of_frame(behind), rte_pktmbuf_mtod(packet->next, std::uint64_t));
    EXPECT_EQ(roce::bytes_of_frame(behind), 138U - first);
  }
  ASSERT_EQ(split.take(request(0, 0)), fate::kept);  // whole
  EXPECT_EQ(roce::bytes_of_frame(boxes_[0].frames[given_]), 138U);
  EXPECT_TRUE(roce::is_frame(boxes_[0].rests[given_], given_));
  EXPECT_EQ(roce::bytes_of_frame(boxes_[0].rests[given_]), 0U);
  // Headers beyond the first piece, and a third piece.
  auto* const short_one = cut(request(0, 0), 69);
  EXPECT_EQ(split.take(*short_one), fate::other);
  auto* const three = cut(request(0, 0), 78);
  EXPECT_EQ(rte_pktmbuf_chain(three, make_packet(pool_, std::array{std::byte{0}})), 0);
  EXPECT_EQ(split.take(*three), fate::other);
  EXPECT_EQ(take(*cut(request(0, 0), 78)), fate::other);  // one that knows whole frames only
  rte_pktmbuf_free(short_one);
  rte_pktmbuf_free(three);
  split.release();
  EXPECT_EQ(pool_.available(), packets_);
}

TEST_F(requests_to_a_gpu, are_none_if_they_are_of_no_queue_or_of_another_peer) {
  EXPECT_EQ(take(request(queues, 0)), fate::other);
  auto& stranger = request(0, 0);
  constexpr std::size_t last_byte_of_source = roce::ethernet_bytes + 15;
  rte_pktmbuf_mtod(&stranger, std::byte*)[last_byte_of_source] = std::byte{9};
  EXPECT_EQ(take(stranger), fate::other);
  EXPECT_EQ(requests_.dropped(), 0U);
  EXPECT_EQ(pool_.available(), packets_);
}

// The first piece has all bytes of the frame, so that the engine could read it.
TEST_F(requests_to_a_gpu, in_pieces_that_it_does_not_read_write_nothing_and_get_no_answer) {
  std::vector<std::byte> memory(64, std::byte{0x5a});
  auto const untouched = memory;
  auto const place = reinterpret_cast<std::uint64_t>(memory.data());
  auto const key = regions_.add(memory.data(), memory.size(), access::remote_write);
  roce::roce_engine engine{regions_.ref()};  // which knows the region
  for (auto one : settings_) {
    one.responds = roce::responder_place::elsewhere;
    engine.add(one, {});
  }
  auto* const packet = &request_to(
      {.queue_number = first_number, .asks_acknowledgement = 1, .address = place, .rkey = key, .length = 64});
  ASSERT_EQ(rte_pktmbuf_chain(packet, make_packet(pool_, std::array{std::byte{0}})), 0);
  EXPECT_EQ(requests_.take(*packet), fate::other);
  engine.take({rte_pktmbuf_mtod(packet, std::byte const*), rte_pktmbuf_data_len(packet)}, 1);
  rte_pktmbuf_free(packet);
  EXPECT_EQ(memory, untouched);
  roce::frame_plan plan;
  EXPECT_FALSE(engine.next_frame(1, plan));
  EXPECT_EQ(engine.counters().of_no_responder, 1U);
  EXPECT_EQ(engine.counters().received.messages, 0U);
}

}  // namespace
}  // namespace packetwarp::rdma::test
