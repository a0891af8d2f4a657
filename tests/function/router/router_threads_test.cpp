// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "fixtures/packet_builder.h"
#include "function/router/router.h"
#include "routing/router_table.h"

namespace packetwarp {
namespace {

constexpr auto ingress = static_cast<interface_index>(0);
constexpr auto egress = static_cast<interface_index>(1);

// While routes below and above an address come and go, a packet to it finds one of the routes that stay.
TEST(router_threads, see_a_route_of_before_or_of_after_while_the_table_changes) {
  router_table table;
  (void)table.add_interface(wire::parse_mac("02:00:00:00:00:02").value(), 1500);
  (void)table.add_interface(wire::parse_mac("02:00:00:00:00:12").value(), 1500);
  auto const ip = [](std::string_view text) { return ip_address{wire::parse_ipv4(text).value()}; };
  table.add_address(egress, {ip("10.1.0.1"), 24});
  neighbour_key const always{egress, ip("10.1.0.2")};
  neighbour_key const sometimes{egress, ip("10.1.0.3")};
  table.set_route({ip("20.0.0.0"), 16}, always);
  ASSERT_TRUE(table.set_neighbour(always, wire::parse_mac("02:00:00:00:07:01").value()));

  std::atomic<std::uint64_t> seen{};
  std::atomic<bool> ends{};
  std::atomic<unsigned> wrong{};
  std::thread executor{[&] {
    auto const tables = table.cpu(ingress);
    auto const fresh = test::packet_builder{}.eth().ipv4("30.0.0.9", "20.0.0.1").udp(1, 2).build();
    auto const size = static_cast<std::uint32_t>(fresh.size());
    while (!ends.load(std::memory_order_relaxed)) {
      auto frame = fresh;
      bool const is_forwarded =
          router::process({frame.data(), size, size}, tables) == verdict::forward(egress_index{1});
      bool const is_known = wire::load_mac(frame.data()).number() >> 8 == 0x02'00'00'00'07U;
      if (!is_forwarded || !is_known) wrong.fetch_add(1, std::memory_order_relaxed);
      seen.fetch_add(1, std::memory_order_relaxed);
    }
  }};
  for (int n = 0; n < 3000; ++n) {
    ASSERT_TRUE(table.set_neighbour(sometimes,
                                    wire::parse_mac(n % 2 == 0 ? "02:00:00:00:07:02" : "02:00:00:00:07:03").value()));
    table.set_route({ip("20.0.0.0"), 20}, sometimes);
    table.set_route({ip("20.0.0.1"), 32}, always);
    table.set_route({ip("20.0.0.0"), 28}, sometimes);
    table.remove_route({ip("20.0.0.1"), 32});
    table.remove_route({ip("20.0.0.0"), 28});
    table.remove_route({ip("20.0.0.0"), 20});
    // Groups that were given up are used again only after the executor has passed.
    table.commit();
    auto const then = seen.load(std::memory_order_relaxed);
    while (seen.load(std::memory_order_relaxed) < then + 2 && n % 16 == 0) std::this_thread::yield();
    if (n % 16 == 0) table.reclaim();
  }
  ends = true;
  executor.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace packetwarp
