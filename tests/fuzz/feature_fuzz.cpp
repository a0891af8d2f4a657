// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "feature/observe.h"
#include "feature/row.h"
#include "fuzz/input.h"
#include "fuzz/packets.h"

using namespace packetwarp;

namespace {

using row = std::array<std::int8_t, model::row_bytes>;
constexpr hash_key key{0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345};

struct timed_packet {
  feature::packet_facts facts;
  std::uint64_t epoch;
};

// A frame of the fuzzer's bytes, or a mostly sound one between few endpoints, of which only a part may be readable.
[[nodiscard]] feature::packet_facts next_facts(fuzz::input& bytes) {
  auto const shape = bytes.byte();
  fuzz::frame frame;
  if ((shape & 1) != 0) {
    frame = bytes.bytes(bytes.byte());
  } else {
    auto const ends = bytes.byte();
    fuzz::endpoint const from{0x0a000001U + (ends & 3U), static_cast<std::uint16_t>((ends >> 2 & 3U) * 20'000)};
    fuzz::endpoint const to{0x0a000001U + (ends >> 4 & 3U), static_cast<std::uint16_t>((ends >> 6 & 3U) * 20'000)};
    frame = fuzz::make_packet(bytes, wire::mac_address::from_number(1), from, to);
  }
  auto const length = static_cast<std::uint32_t>(frame.size()) + ((shape & 2U) != 0 ? shape * 300U : 0U);
  std::vector<std::byte> const readable{frame};  // of its own size, for ASan
  return feature::facts_of(readable.data(), static_cast<std::uint32_t>(readable.size()), length);
}

[[nodiscard]] std::vector<timed_packet> all_packets(fuzz::input& bytes) {
  constexpr std::size_t most = 64;
  constexpr std::uint64_t steps[]{0, 0, 0, 0, 0, 1, 1, 2, 3, 4, 100, 256, 1024, std::uint64_t{1} << 40};
  std::vector<timed_packet> packets;
  std::uint64_t epoch = 1;
  while (!bytes.empty() && packets.size() < most) {
    epoch += bytes.one_of(steps);
    packets.push_back({next_facts(bytes), epoch});
  }
  return packets;
}

[[nodiscard]] row observed(timed_packet const& packet, feature::feature_state const& state) {
  row made;
  made.fill(-1);
  feature::observe(packet.facts, packet.epoch, state.ref(), made.data());
  for (std::size_t i = 0; i < made.size(); ++i) fuzz::require(i < feature::features ? made[i] >= 0 : made[i] == 0);
  return made;
}

// The row that the code without vector instructions makes, of a packet that the state has seen.
[[nodiscard]] row plain_row(timed_packet const& packet, feature::feature_state const& state) {
  row made;
  feature::packet_keys keys{};
  feature::packet_records records{};
  if (packet.facts.ip_version != 0) {
    keys = feature::keys_of(packet.facts, key);
    records = feature::detail::find_records(keys, packet.epoch, state.ref());
  }
  feature::write_row_plainly(feature::detail::sources_of(packet.facts, keys, packet.epoch, records), made.data());
  return made;
}

// The packets of each epoch from the last to the first.
[[nodiscard]] std::vector<std::size_t> turned_order(std::vector<timed_packet> const& packets) {
  std::vector<std::size_t> order(packets.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return packets[a].epoch != packets[b].epoch ? packets[a].epoch < packets[b].epoch : a > b;
  });
  return order;
}

void check_counts(feature::table_counts const& counts, std::uint64_t places, std::uint64_t uses) {
  fuzz::require(counts.inserted <= places && counts.inserted + counts.replaced + counts.untracked <= uses);
}

}  // namespace

// Any frames give rows within their bounds, the same by vector instructions and without them; with room in the tables,
// their order within an epoch does not matter.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  fuzz::input bytes{data, size};
  auto const packets = all_packets(bytes);
  feature::feature_state const full{{.flows = 8, .hosts = 8}, key};
  feature::feature_state const straight{{.flows = 512, .hosts = 512}, key};
  feature::feature_state const turned{{.flows = 512, .hosts = 512}, key};
  std::vector<row> rows;
  for (auto const& one : packets) {
    rows.push_back(observed(one, straight));
    fuzz::require(plain_row(one, straight) == rows.back());
    static_cast<void>(observed(one, full));
  }
  for (auto const i : turned_order(packets)) fuzz::require(observed(packets[i], turned) == rows[i]);
  fuzz::require(straight.ref().flows.counts->untracked == 0 && straight.ref().hosts.counts->untracked == 0);
  check_counts(*full.ref().flows.counts, 8, packets.size());
  check_counts(*full.ref().hosts.counts, 8, 2 * packets.size());
  return 0;
}
