// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "inspect/compiled/compile.h"
#include "inspect/compiled/prefilter.h"
#include "inspect/device_memory.h"
#include "inspect/made_rules.h"
#include "inspect/match/chain.h"
#include "inspect/match/groups.h"
#include "inspect/match/header.h"

namespace packetwarp::inspect {
namespace {

struct flat_packet {
  std::uint32_t offset;
  std::uint32_t size;
};

// Bits of a packet's result for one rule.
inline constexpr std::uint8_t found_bit = 1;
inline constexpr std::uint8_t header_bit = 2;
inline constexpr std::uint8_t payload_bit = 4;
inline constexpr std::uint8_t rows_bit = 8;  // the header, by the packet's rows

HOST_DEVICE void match_packet(ruleset_ref rules, std::byte const* payload, std::uint32_t size, std::uint32_t number,
                              std::uint8_t* results) {
  inspected_packet packet;
  packet.payload = payload;
  packet.payload_size = packet.payload_length = size;
  packet.ip_version = 4;
  packet.kind = packet_kind::udp;
  packet.source.low = 0x0a00'0000 + number % 7;
  packet.destination.low = 0xc0a8'0000 + number % 5;
  packet.source_port = static_cast<std::uint16_t>(number);
  packet.destination_port = static_cast<std::uint16_t>(50 + number % 9);
  packet.has_transport = packet.has_flow = packet.is_established = packet.begins_direction = true;
  packet.is_to_server = number % 2 == 0;
  for (std::uint32_t at = 0; at < size; ++at) {
    search_windows(rules, payload, size, at, [&](std::uint32_t place) { results[place] |= found_bit; });
  }
  auto const rows = rows_of(rules, packet);
  for (std::uint32_t place = 0; place < rules.header().rules.count; ++place) {
    auto const& rule = rules.rule(place);
    if (matches_header(rules, rule, packet)) results[place] |= header_bit;
    // The packet's rows have compared the addresses and ports of a rule without a literal already.
    bool const needs_rows = static_cast<endpoint_check>(rule.endpoints) == endpoint_check::by_rows;
    if (needs_rows ? matches_header(rules, rule, packet) : matches_header(rules, rule, packet, rows))
      results[place] |= rows_bit;
    search_budget budget;
    if (matches_chain(rules, rule.checks, payload, size, no_regexes{}, budget) == chain_result::match)
      results[place] |= payload_bit;
  }
}

__global__ void match_all(std::byte const* base, std::byte const* bytes, flat_packet const* packets,
                          std::uint32_t count, std::uint8_t* results) {
  auto const i = blockIdx.x * blockDim.x + threadIdx.x;
  ruleset_ref const rules{base};
  if (i < count) {
    match_packet(rules, bytes + packets[i].offset, packets[i].size, i,
                 results + std::size_t{i} * rules.header().rules.count);
  }
}

std::string rules_text() {
  char const* const endings[] = {"content:\"abcd\"; content:\"ba\"; distance:0; within:6;",
                                 "content:\"dcbadcba\"; nocase;",
                                 "content:\"ab\"; content:!\"c\"; within:1;",
                                 "content:\"aaaa\"; startswith;",
                                 "content:\"cdab\"; endswith;",
                                 "byte_test:2,>,25000,3; content:\"bcbc\";",
                                 "byte_jump:1,0,multiplier 1,from_beginning; isdataat:2,relative;",
                                 "dsize:>40; content:\"acacac\";",
                                 "content:\"b\"; isdataat:!5,relative;",
                                 "flow:to_server,established; content:\"DDDD\"; nocase; offset:2; depth:30;",
                                 "ttl:<9;"};
  std::string text;
  unsigned sid = 0;
  for (auto const* ending : endings) {
    for (auto const* header : {"udp any any -> any any", "udp 10.0.0.0/30 any -> [192.168.0.1,192.168.0.3] [50:53,57]",
                               "ip any any -> !192.168.0.2 any"}) {
      text += std::string{"alert "} + header + " (" + ending + " sid:" + std::to_string(++sid) + ";)\n";
    }
  }
  return text;
}

TEST(device, matches_as_the_host_does_from_a_copy_of_the_rules) {
  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) GTEST_SKIP() << "no GPU";
  auto const compiled = compile_rules(rules_of(rules_text()));
  auto const rules = compiled.ref().header().rules.count;
  ASSERT_EQ(rules, 33U);
  constexpr std::uint32_t count = 2000;
  std::minstd_rand random{5};
  std::string payloads;
  auto* const packets = managed<flat_packet>(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    packets[i] = {static_cast<std::uint32_t>(payloads.size()), static_cast<std::uint32_t>(random() % 120)};
    for (std::uint32_t at = 0; at < packets[i].size; ++at) payloads.push_back("abcdD"[random() % 5]);
  }
  auto* const bytes = managed<std::byte>(payloads.size() + 1);
  std::memcpy(bytes, payloads.data(), payloads.size());
  auto* const base = managed<std::byte>(compiled.bytes());
  std::memcpy(base, compiled.ref().base, compiled.bytes());
  auto* const results = managed<std::uint8_t>(std::size_t{count} * rules);
  match_all<<<(count + 127) / 128, 128>>>(base, bytes, packets, count, results);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::size_t matches = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::vector<std::uint8_t> wanted(rules);
    match_packet(compiled.ref(), bytes + packets[i].offset, packets[i].size, i, wanted.data());
    for (std::uint32_t place = 0; place < rules; ++place) {
      ASSERT_EQ(results[std::size_t{i} * rules + place], wanted[place]) << "packet " << i << ", rule " << place;
      ASSERT_EQ((wanted[place] & header_bit) != 0, (wanted[place] & rows_bit) != 0);
      if ((wanted[place] & header_bit) != 0 && (wanted[place] & payload_bit) != 0) ++matches;
    }
  }
  EXPECT_GT(matches, 500U);
  for (void* memory : {static_cast<void*>(packets), static_cast<void*>(bytes), static_cast<void*>(base),
                       static_cast<void*>(results)}) {
    cudaFree(memory);
  }
}

}  // namespace
}  // namespace packetwarp::inspect
