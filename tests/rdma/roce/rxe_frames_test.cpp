// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Frames of Linux's software RDMA device (rdma_rxe), recorded by perftest/test_frames.py (rxe.pcap): they are read as
// they are meant, and are, from the transport header on, the frames that packetwarp makes of the same fields.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "rdma/roce/frame.h"

namespace packetwarp::rdma::roce {
namespace {

using frame = std::vector<std::byte>;

constexpr wire::ipv4_address rxe{0x0a09'0002};

std::uint32_t word_at(std::string const& file, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, file.data() + at, sizeof word);
  return word;
}

std::vector<frame> recorded_frames() {
  constexpr std::size_t file_header = 24, record_header = 16;
  std::ifstream in{PACKETWARP_SOURCE_DIR "/tests/rdma/roce/rxe.pcap", std::ios::binary};
  std::string const file{std::istreambuf_iterator<char>{in}, {}};
  std::vector<frame> frames;
  for (auto at = file_header; at + record_header <= file.size();) {
    auto const bytes = word_at(file, at + 8);
    auto const* const from = reinterpret_cast<std::byte const*>(file.data()) + at + record_header;
    frames.emplace_back(from, from + bytes);
    at += record_header + bytes;
  }
  return frames;
}

class rxe_frames : public testing::Test {
 protected:
  rxe_frames() : frames_{recorded_frames()} {}
  std::vector<frame> frames_;
};

TEST_F(rxe_frames, are_read_as_writes_and_acknowledgements) {
  std::map<opcode, unsigned> seen;
  for (auto const& one : frames_) {
    auto const found = read_frame(one.data(), one.size());
    ASSERT_EQ(found.result, frame_result::ok);
    if (found.source == rxe) ++seen[found.fields.code];
  }
  for (auto const code :
       {opcode::write_first, opcode::write_middle, opcode::write_last, opcode::write_only, opcode::acknowledge})
    EXPECT_GT(seen[code], 0U) << static_cast<unsigned>(code);
}

TEST_F(rxe_frames, are_those_of_the_same_fields_from_the_transport_header_on) {
  for (auto const& one : frames_) {
    auto const found = read_frame(one.data(), one.size());
    ASSERT_EQ(found.result, frame_result::ok);
    frame made(frame_bytes(found.fields.code, found.payload_bytes));
    write_frame(made.data(), {.source = found.source, .destination = found.destination}, found.fields, found.payload,
                found.payload_bytes);
    ASSERT_LE(made.size(), one.size());
    made[transport_at + 1] &= ~std::byte{migrated_flag};  // rxe says of no packet that its connection has migrated
    // The ICRC covers the path's UDP port, which is not that of this frame.
    auto const own = std::span{made}.subspan(transport_at, made.size() - transport_at - icrc_bytes);
    auto const theirs = std::span{one}.subspan(transport_at, own.size());
    EXPECT_TRUE(std::ranges::equal(own, theirs)) << "opcode " << static_cast<unsigned>(found.fields.code);
  }
}

// Each byte that a switch does not change is covered.
TEST_F(rxe_frames, with_a_changed_byte_of_the_packet_are_not_taken) {
  for (auto one : frames_) {
    auto const total = ethernet_bytes + read_headers(one.data(), one.size()).total;
    for (auto at = transport_at; at < total; at += 5) {
      if (at == transport_at + 4) continue;  // FECN and BECN
      one[at] ^= std::byte{0x10};
      EXPECT_NE(read_frame(one.data(), one.size()).result, frame_result::ok) << at;
      one[at] ^= std::byte{0x10};
    }
  }
}

}  // namespace
}  // namespace packetwarp::rdma::roce
