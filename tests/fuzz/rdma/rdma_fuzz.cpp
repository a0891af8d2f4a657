// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "rdma/engine/host_engine.h"
#include "rdma/queue_pair.h"
#include "rdma/roce/icrc.h"
#include "rdma/roce/packet.h"

namespace {

using namespace packetwarp::rdma;

void require(bool holds) {
  if (!holds) std::abort();
}

// Any bytes as a packet: offsets within it; fields that are written again are the same bytes.
void read_packet(std::span<std::byte const> packet) {
  auto const found = roce::parse_packet(packet.data(), packet.size());
  if (found.result != roce::parse_result::ok) return;
  require(found.payload_at + found.payload + found.fields.padding + roce::icrc_bytes == packet.size());
  std::vector<std::byte> again(found.payload_at + found.payload + found.fields.padding + roce::icrc_bytes);
  roce::write_headers(again.data(), found.fields);
  auto const second = roce::parse_packet(again.data(), again.size());
  require(second.result == roce::parse_result::ok && second.payload == found.payload);
  require(std::memcmp(&second.fields.psn, &found.fields.psn, sizeof found.fields.psn) == 0);
  require(second.fields.address == found.fields.address && second.fields.rkey == found.fields.rkey);
  std::vector<std::byte> after_headers(20 + 8);  // IPv4 and UDP, which the ICRC covers, too
  after_headers.insert(after_headers.end(), packet.begin(), packet.end());
  auto const icrc = roce::icrc_of_ipv4(after_headers.data(), after_headers.size());
  roce::store_icrc(again.data(), icrc);
  require(roce::load_icrc(again.data()) == icrc);
}

enum class remote_end : std::uint8_t { this_process, peer };

// The target's address: of a peer's, the first bytes of the input, which are taken off.
[[nodiscard]] std::uint64_t address_of_target(remote_end end, std::byte const* target,
                                              std::span<std::byte const>& input) {
  auto address = reinterpret_cast<std::uint64_t>(target);
  if (end == remote_end::this_process || input.size() < sizeof address) return address;
  std::memcpy(&address, input.data(), sizeof address);
  input = input.subspan(sizeof address);
  return address;
}

// Any changes to four good WQEs, and any doorbell records: the engine ends, and writes within the target alone, also if
// that is a peer's, which tells any address of it.
void serve_queue(remote_end end, std::span<std::byte const> changes) {
  constexpr std::uint32_t entries = 4, number = 7, bytes = 32, guard = 64;
  std::vector<std::byte> memory(4 * guard, std::byte{0x55});
  auto* const source = memory.data();
  auto* const target = memory.data() + 2 * guard;
  std::memset(source, 0xaa, bytes);
  auto const before = memory;
  region_table regions;
  memory_place const local{reinterpret_cast<std::uint64_t>(source), regions.add(source, bytes, access::local_read)};
  memory_place const remote{address_of_target(end, target, changes), regions.add(target, bytes, access::remote_write)};
  mapped_region const mapped{{remote.address, bytes, remote.key, access::remote_write}, target};
  auto const reached =
      end == remote_end::peer ? reachable_memory{regions.ref(), mapped} : reachable_memory{regions.ref()};
  queue_pair const pair{{.size = entries, .number = number}};
  auto const queue = pair.ref();
  auto const slots = queue.reserve(single_thread{}, entries);
  for (std::uint32_t i = 0; i < entries; ++i) queue.post_write(slots, i, local + i * 8, remote + i * 8, 8);
  queue.commit(single_thread{}, slots);
  auto* const queue_bytes = reinterpret_cast<std::byte*>(pair.parts().entries);
  for (std::size_t at = 0; at + 1 < changes.size(); at += 2)
    queue_bytes[static_cast<std::size_t>(changes[at]) % (entries * sizeof(work_queue_entry))] ^= changes[at + 1];
  served_queue engine{pair.parts()};
  require(engine.serve(reached, 1'000) == entries);
  for (std::size_t at = 0; at < memory.size(); ++at)
    require(memory[at] == before[at] || (at >= 2 * guard && at < 2 * guard + bytes));
  if (changes.size() % 2 == 0) return;
  *pair.parts().send_record = static_cast<std::uint32_t>(changes.back()) << 24;
  ++*pair.parts().doorbell;
  (void)engine.serve(reached, 1'000);
  require(engine.counters().completions <= entries);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  auto const* const bytes = reinterpret_cast<std::byte const*>(data);
  std::span<std::byte const> const rest{bytes + 1, size - 1};
  if ((data[0] & 1) == 0) {
    read_packet(rest);
  } else {
    serve_queue((data[0] & 2) == 0 ? remote_end::this_process : remote_end::peer, rest);
  }
  return 0;
}
