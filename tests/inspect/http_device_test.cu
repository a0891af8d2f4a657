// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "inspect/compiled/compile.h"
#include "inspect/device_memory.h"
#include "inspect/http/head.h"
#include "inspect/made_rules.h"
#include "inspect/match/header.h"
#include "inspect/match/payload.h"

namespace packetwarp::inspect {
namespace {

constexpr std::uint32_t room_bytes = 4096;
constexpr std::uint32_t most_rules = 16;

// A head's buffers, as a hash each, and the rules that match it.
struct seen_head {
  std::uint32_t state;
  std::uint32_t known;
  std::uint32_t hashes[http_buffers];
  std::uint8_t matches[most_rules];
};

HOST_DEVICE void see_head(ruleset_ref rules, text_view text, std::byte* room, seen_head& made) {
  http_message message;
  made.state = static_cast<std::uint32_t>(read_head(text, http_kind::request, room, room_bytes, message));
  made.known = message.known;
  for (std::uint32_t i = 0; i < http_buffers; ++i)
    made.hashes[i] = message.buffers[i].bytes == nullptr ? 0 : detail::hash_of_name(message.buffers[i]);
  inspected_packet packet;
  packet.ip_version = 4;
  packet.kind = packet_kind::tcp;
  packet.has_transport = packet.has_flow = packet.is_established = packet.is_to_server = packet.is_http = true;
  packet.payload = text.bytes;
  packet.payload_size = packet.payload_length = text.size;
  packet.http = &message;
  for (std::uint32_t place = 0; place < rules.header().rules.count; ++place) {
    auto const& rule = rules.rule(place);
    search_budget budget;
    bool const has_matched = matches_header(rules, rule, packet) &&
                             matches_payload(rules, rule, packet, budget, no_regexes{}) == chain_result::match;
    made.matches[place] = has_matched ? 1 : 0;
  }
}

__global__ void see_heads(std::byte const* base, std::byte const* bytes, std::uint32_t const* begins,
                          std::uint32_t count, std::byte* rooms, seen_head* made) {
  auto const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  see_head({base}, {bytes + begins[i], begins[i + 1] - begins[i]}, rooms + std::size_t{i} * room_bytes, made[i]);
}

constexpr char http_rules_text[] =
    "alert http any any -> any any (http.uri; content:\"/cgi/evil\"; sid:1;)\n"
    "alert http any any -> any any (http.host; content:\"example.org\"; bsize:11; sid:2;)\n"
    "alert http any any -> any any (http.user_agent; content:\"tool\"; nocase; sid:3;)\n"
    "alert http any any -> any any (http.header; content:\"X: a, b|0d 0a|\"; sid:4;)\n"
    "alert http any any -> any any (http.cookie; content:!\"k\"; http.method; content:\"GET\"; sid:5;)\n"
    "alert tcp any any -> any any (content:\"HTTP\"; urilen:>5; sid:6;)\n";

[[nodiscard]] std::vector<std::string> heads() {
  std::vector<std::string> made;
  for (auto const* target :
       {"/cgi/evil", "/%63gi//x/../evil?q=%41", "/", "http://EXAMPLE.org:81/cgi/evil", "/%u0063gi%c0%afevil", "*"}) {
    for (auto const* fields : {"", "Host: Example.ORG:80\r\n", "User-Agent: a TOOL\r\nX: a\r\nx: b\r\n",
                               "Cookie: k=v\r\nHost:\r\n other\r\n"}) {
      for (auto const* end : {"\r\n", "\n", ""})
        made.push_back(std::string{"GET "} + target + " HTTP/1.1\r\n" + fields + end);
    }
  }
  made.emplace_back("EHLO x\r\n");
  return made;
}

TEST(device, reads_heads_of_http_as_the_host_does) {
  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) GTEST_SKIP() << "no GPU";
  auto const compiled = compile_rules(rules_of(http_rules_text));
  ASSERT_EQ(compiled.ref().header().rules.count, 6U);
  auto const texts = heads();
  auto const count = static_cast<std::uint32_t>(texts.size());
  std::string all;
  auto* const begins = managed<std::uint32_t>(count + 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    all += texts[i];
    begins[i + 1] = static_cast<std::uint32_t>(all.size());
  }
  auto* const bytes = managed<std::byte>(all.size());
  std::memcpy(bytes, all.data(), all.size());
  auto* const base = managed<std::byte>(compiled.bytes());
  std::memcpy(base, compiled.ref().base, compiled.bytes());
  auto* const rooms = managed<std::byte>(std::size_t{count} * room_bytes);
  auto* const seen = managed<seen_head>(count);
  see_heads<<<(count + 31) / 32, 32>>>(base, bytes, begins, count, rooms, seen);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::size_t matches = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::vector<std::byte> room(room_bytes);
    seen_head wanted{};
    see_head(compiled.ref(), {bytes + begins[i], begins[i + 1] - begins[i]}, room.data(), wanted);
    EXPECT_EQ(std::memcmp(&seen[i], &wanted, sizeof wanted), 0) << texts[i];
    for (auto const one : wanted.matches) matches += one;
  }
  EXPECT_GT(matches, 60U);
  for (void* memory : {static_cast<void*>(begins), static_cast<void*>(bytes), static_cast<void*>(base),
                       static_cast<void*>(rooms), static_cast<void*>(seen)}) {
    cudaFree(memory);
  }
}

}  // namespace
}  // namespace packetwarp::inspect
