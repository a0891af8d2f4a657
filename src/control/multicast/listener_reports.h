// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "address/interface_index.h"
#include "control/action.h"
#include "control/multicast/listener_message.h"
#include "routing/router_table.h"
#include "wire/address.h"

namespace packetwarp {

// Whether the kernel has an interface beside this one, and sees the queries that come in here instead of the router.
enum class kernel_beside : std::uint8_t { none, present };

// The groups whose packets the router takes by an interface: of its own addresses, which neighbours ask for by group
// (RFC 4861, 7.2.1), and the group of all routers. A kernel interface reports the groups of the addresses that the
// kernel has. None with an MTU that is too short for IPv6.
[[nodiscard]] std::vector<wire::ipv6_address> groups_of(router_table const& tables, interface_index interface,
                                                        kernel_beside kernel);

// When to report the groups of which interface. A single thread.
class listener_reports {
 public:
  // Reports an interface's groups twice, a second apart (RFC 3810, 6.1 and 9). With a kernel interface also from time
  // to time, because the queries go to the kernel.
  void announce(interface_index interface, kernel_beside kernel);
  // Answers a query after a delay, the shorter the smaller `part` is of 2^32. An answer that waits already, and is
  // earlier, answers this query too.
  void answer(interface_index interface, listener_query const& asked, std::uint32_t part, control_time now);

  // Whether an answer waits.
  [[nodiscard]] bool is_answering(interface_index interface) const;

  struct report {
    interface_index interface {};
    listener_report form{};
  };
  [[nodiscard]] bool is_due(control_time now) const;
  // Only if one is due.
  [[nodiscard]] report next(control_time now);

 private:
  struct waiting {
    report what;
    control_time due{};
    unsigned more{};  // repetitions soon
    kernel_beside kernel{};
  };
  // Two at most for each interface: for new listeners, and an answer.
  std::vector<waiting> waiting_;
};

}  // namespace packetwarp
