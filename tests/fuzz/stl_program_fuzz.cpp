// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "traffic/stl/inspection.h"
#include "traffic/stl/packet_maker.h"
#include "traffic/stl/timeline.h"

using namespace packetwarp;
using namespace packetwarp::traffic;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

// Packets stay within their room, and pass the inspection that the program claims for all.
void check_packets(stl::stream const& of, stl::inspection depth) {
  stl::packet_maker const maker{of};
  std::vector<std::byte> frame(maker.largest_length());
  for (std::uint64_t const index : {0ULL, 1ULL, 2ULL, 1000ULL, 1ULL << 40}) {
    require(maker.length(index) <= frame.size());
    maker.write(index, 0, frame.data());
    require(stl::passes(std::span{frame}.first(maker.length(index)), depth));
  }
}

void check(stl::program const& sent) {
  auto const depth = stl::deepest_inspection(sent);
  for (auto const& one : sent.streams) check_packets(one, depth);
  auto const loads = stl::loads_of(sent, 1e10);
  stl::timeline times{sent, loads, 1, 1e9};
  times.let_pass(1);
  times.let_pass(1'000'000'000);
  for (int i = 0; i < 1000 && times.is_due(); ++i, times.advance()) require(times.front().stream < sent.streams.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  try {
    check(stl::parse_program({reinterpret_cast<char const*>(data), size}));
  } catch (failure const& wrong) {
    require(wrong.what()[0] != '\0');
  }
  return 0;
}
