// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

namespace packetwarp::test {

// The rules of NVIDIA's evaluation of CNF acceleration with testpmd ("Multiple flow test"): the output of its
// create_flows.sh, byte for byte. Two ports; UDP of one user on each side, one source port per flow.
struct reference_flows {
  static constexpr unsigned first_port = 1002;
  static constexpr unsigned last_port = 6002;
  static constexpr std::size_t rules = 4 + 2 * (last_port - first_port + 1);

  [[nodiscard]] static std::string text() {
    std::string made;
    for (unsigned const port : {0U, 1U}) {
      made += fmt::format("flow create {} group 0 ingress pattern eth / ipv4 / udp / end actions jump group 1 / end\n",
                          port);
    }
    made += leaving(0, "ec:0d:9a:8a:27:ba", "4A:AC:4F:29:87:80", "2.2.2.1");
    made += leaving(1, "ec:0d:9a:8a:28:3a", "86:19:A0:B8:10:BD", "1.1.1.1");
    for (auto port = first_port; port <= last_port; ++port) {
      made += coming(1, "2.2.2.2", port, 1);
      made += coming(0, "1.1.1.2", port, 2);
    }
    return made;
  }

 private:
  [[nodiscard]] static std::string leaving(unsigned port, char const* to, char const* from, char const* source) {
    return fmt::format(
        "flow create {} group 0 egress pattern eth / ipv4 / udp / end actions set_mac_dst mac_addr {} / "
        "set_mac_src mac_addr {} / set_ipv4_src ipv4_addr {} / dec_ttl / end\n",
        port, to, from, source);
  }
  [[nodiscard]] static std::string coming(unsigned on, char const* from, unsigned source, unsigned queue) {
    return fmt::format(
        "flow create {} group 1 ingress pattern eth / ipv4 src is {} / udp src is {} / end actions "
        "set_tp_src port {} / queue index {} / end\n",
        on, from, source, source + 1, queue);
  }
};

}  // namespace packetwarp::test
