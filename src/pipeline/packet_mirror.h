// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mempool.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "burst/burst.h"
#include "burst/outcome.h"
#include "egress/egress.h"
#include "pipeline/counters.h"
#include "pipeline/departure_tap.h"
#include "worker/job.h"

namespace packetwarp {

// The place of the mirror port among a pipeline's egresses, and the memory of copies.
struct mirror_way {
  std::size_t egress{};      // position among the pipeline's egresses
  rte_mempool* pool{};       // in host memory
  std::uint32_t mtu{};       // of the mirror port: bytes after the Ethernet header and VLAN tags
  bool is_of_mirror_port{};  // the pipeline receives from the mirror port itself
  cycles between_tries{};    // of a port that takes nothing
};

// Sends copies of packets by the mirror port: packets whose verdicts ask for one, as they were received. A copy leaves
// at once or is lost, and each loss is counted by its reason; the packet itself takes its way in any case. For the TX
// job of a pipeline whose ring keeps received headers.
class packet_mirror {
 public:
  explicit packet_mirror(mirror_way way) : way_{way} {}
  [[nodiscard]] std::size_t egress() const { return way_.egress; }
  // To be called for each finished burst before its verdicts are carried out; a burst that waits in the ring may be
  // given again. to: the pipeline's egress at that position.
  void mirror(burst const& work, burst_outcome outcome, packetwarp::egress& to, tick const& t,
              departure_counters& counters, departure_tap const& seen);

 private:
  struct batch {
    std::array<rte_mbuf*, packetwarp::egress::copies_at_once> copies{};
    std::size_t size{};
  };
  void add(batch& to, burst const& work, std::uint32_t n, packetwarp::egress const& by, tick const& t,
           departure_counters& counters) const;
  void send(batch& all, packetwarp::egress& to, tick const& t, departure_counters& counters, departure_tap const& seen);

  mirror_way way_;
  std::uint64_t next_{};  // number of the first burst that was not given yet
  cycles next_try_{};     // of a port that took nothing
};

}  // namespace packetwarp
