// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fixtures/packet_builder.h"

namespace packetwarp::test {

// A packet of the parity suite, and its layout in memory.
struct corpus_packet {
  std::string what;  // "ipv4 udp, cut to 17 bytes"
  bytes frame;
  unsigned shift{};                       // its address modulo 16
  std::vector<std::uint32_t> segments{};  // lengths of its mbufs
};

// The longest piece of a packet in one mbuf, at any shift.
inline constexpr std::uint32_t longest_segment = 2048;

// The folder of the repository: PACKETWARP_SOURCE_DIR, else where this was built.
[[nodiscard]] std::filesystem::path source_folder();

// Every packet: all that the builder makes, whole, cut short and damaged; every length at every shift; chains of mbufs;
// the frames of every capture in the repository. Twice, in this order and then mixed, so that some bursts have packets
// of one verdict and others of many. most: the size of a sample, spread over all of them; 0 for all. Throws failure if
// a capture cannot be read.
[[nodiscard]] std::vector<corpus_packet> make_corpus(std::size_t most);

}  // namespace packetwarp::test
