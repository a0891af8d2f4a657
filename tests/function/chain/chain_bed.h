// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "executor/cpu.h"
#include "executor/executor_fixture.h"
#include "function/chain/stages.h"
#include "parity/oracle/router.h"

namespace packetwarp::test {

// The parity suite's router: 20.0.0.0/8 and 2001:db8:ff::/48 go by egress 1, whose MTU is 80.
[[nodiscard]] inline router_ref routes() { return suite_tables<router>::in({}, company::in_chain).cpu; }
[[nodiscard]] inline bytes ipv4(std::string_view to = "20.1.2.201", std::size_t payload = 18) {
  return packet_builder{}.eth().ipv4("10.0.0.1", to).udp(1, 2).payload(payload).build();
}
[[nodiscard]] inline bytes ipv6(std::string_view to = "2001:db8:ff::9", std::size_t payload = 5) {
  return packet_builder{}.eth().ipv6("2001:db8::1", to).udp(1, 2).payload(payload).build();
}
inline constexpr auto by_gateway = verdict::forward(egress_index{1});

// Passes packets through a cpu executor; their annotation is their last byte.
class last_byte_fixture : public executor_fixture {
 protected:
  // The verdicts of a cpu executor on these packets.
  template <class F>
  [[nodiscard]] std::vector<verdict> said_of(typename F::ref const& tables, std::vector<bytes> const& packets) {
    cpu_executor<F> cpu{ring_, tables, std::chrono::nanoseconds{0}};
    publish(packets);
    EXPECT_EQ(cpu.poll(), packets.size());
    auto const done = take_done();
    free(done);
    return done.verdicts;
  }
  [[nodiscard]] static bytes ending_with(unsigned last, bytes packet) {
    packet.back() = static_cast<std::byte>(last);
    return packet;
  }
  template <class F>
  [[nodiscard]] static verdict drop(std::uint16_t n) {
    return verdict::drop(function_drop(static_cast<std::uint16_t>(router::drop_names.size() + n)));
  }
};

}  // namespace packetwarp::test
