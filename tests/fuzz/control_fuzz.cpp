// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "control/control_plane.h"
#include "fixtures/mbufs.h"
#include "memory/eal_session.h"
#include "wire/address_text.h"

using namespace packetwarp;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

struct world {
  eal_session session{
      {.words = {"fuzz", "--no-huge", "--no-shconf", "--no-pci", "--log-level=*:error", "-m", "64"}, .notices = {}}};
  packet_pool pool{test::small_pool("fuzz", 255)};
};

void set_up(router_table& table) {
  for (std::uint32_t n = 0; n < 2; ++n) {
    auto const interface = table.add_interface(wire::mac_address::from_number(0x02'00'00'00'00'01 + n), 576);
    table.add_address(interface, {wire::ipv4_address{(10U << 24 | n << 16) + 1}, 24});
    table.add_address(interface, {wire::ipv6_address{0x2001'0db8'0000'0000 | std::uint64_t{n} << 16, 1}, 64});
  }
}

// Every output is a whole packet, or the count of a copy; it ends here.
void take(control_actions& actions) {
  for (auto const& action : actions) {
    if (action.what == control_action::kind::lost) continue;
    require(rte_mbuf_check(action.packet, 1, nullptr) == 0);
    rte_pktmbuf_free(action.packet);
  }
  actions.clear();
}

}  // namespace

// A sequence of frames, each after four bytes: the reason of its punt and its interface, the time since the last one,
// and its length.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static world everything;
  router_table table{{}, {.interfaces = 2, .ipv4_groups = 4, .ipv6_groups = 64, .next_hops = 16, .hosts = 16}};
  set_up(table);
  control_plane plane{
      table, everything.pool.get(), {.neighbours = {.held = 32, .neighbours = 8}, .fragments = {.datagrams = 4}}};
  control_actions actions;
  control_time now{};
  while (size > 4) {
    auto const why = static_cast<punt_reason>((data[0] & 0x7fU) % punt_reasons);
    auto const ingress = static_cast<interface_index>(data[0] >> 7);
    now += std::chrono::milliseconds{data[1] * 10};
    auto const length = std::min<std::size_t>(size - 4, static_cast<std::size_t>(data[2] << 8 | data[3]) % 2048);
    auto const* const begin = reinterpret_cast<std::byte const*>(data) + 4;
    if (everything.pool.available() < 8) plane.give_up(actions);
    take(actions);
    plane.handle(test::make_packet(everything.pool, {begin, length}), why, ingress, now, actions);
    plane.tick(now, actions);
    take(actions);
    require(everything.pool.available() + plane.mbufs_held() == everything.pool.config().packets);
    data += 4 + length;
    size -= 4 + length;
  }
  plane.give_up(actions);
  take(actions);
  require(plane.held() == 0 && everything.pool.available() == everything.pool.config().packets);
  return 0;
}
