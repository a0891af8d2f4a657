// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fixtures/null_port.h"
#include "master/forwarding_fixture.h"

namespace packetwarp::test {

// Ports of net_null that give endlessly, as fast as the test's workers take: each forwards to its peer.
class null_ports_fixture : public testing::TestWithParam<arrangement> {
 protected:
  static constexpr unsigned most = 4;

  null_ports_fixture() {
    clear_stop_request();
    config_.workers = GetParam();
    config_.data_room = 256;
    // More workers than processors: each yields after a loop iteration, not in the middle of one.
    config_.loop_delay = std::chrono::microseconds{50};
    config_.isolated_ring = 1024;
    config_.rx_descriptors = config_.tx_descriptors = 64;
    limits_.drain_timeout = std::chrono::hours{1};
  }
  ~null_ports_fixture() override { clear_stop_request(); }

  void plug_in(unsigned ports) {
    static unsigned made = 0;
    for (unsigned n = 0; n < ports; ++n) {
      auto const& device = devices_.emplace_back("net_null_r" + std::to_string(made++), "");
      config_.ports.push_back(device.facts().id);
      names_.push_back(device.facts().device);
    }
  }
  void run(std::function<void(data_plane&, supervisor&)> const& on_look) {
    data_plane plane{make_plan(config_, read_machine())};
    supervisor inner{plane, limits_, {}};
    inner.tell([this](port_event what, port_facts const& of) { events_.emplace_back(what, of.name); });
    watched_master master{inner, [&] { on_look(plane, inner); }};
    plane.run(master, std::chrono::minutes{1});
    totals_ = plane.totals();
    cause_ = inner.cause();
    for (auto const& p : plane.pipelines()) {
      received_.push_back(p.counters().arrivals.packets.read());
      dropped_.push_back(p.counters().departures.dropped[static_cast<std::size_t>(drop_reason::tx_full)].read());
    }
    for (std::size_t n = 0; n < plane.ports().size(); ++n) states_.push_back(inner.state_of(n));
    EXPECT_EQ(totals_.rx_packets, totals_.tx_packets + totals_.punted + totals_.dropped_packets);
  }
  [[nodiscard]] static bool all_forward(data_plane const& plane, std::uint64_t packets) {
    return std::all_of(plane.pipelines().begin(), plane.pipelines().end(),
                       [=](auto const& p) { return p.counters().departures.packets.read() > packets; });
  }
  [[nodiscard]] bool is_there(std::size_t n) const {
    std::uint16_t id = 0;
    return rte_eth_dev_get_port_by_name(names_[n].c_str(), &id) == 0;
  }

  data_plane_config config_;
  run_limits limits_;
  std::deque<null_device> devices_;
  std::vector<std::string> names_;
  std::vector<std::pair<port_event, std::string>> events_;
  data_plane_totals totals_;
  end_cause cause_{end_cause::none};
  std::vector<std::uint64_t> received_, dropped_;
  std::vector<port_state> states_;
};

[[nodiscard]] inline auto all_arrangements() {
  return testing::Values(arrangement::run_to_completion, arrangement::pair, arrangement::pair_cpu,
                         arrangement::isolated_rx);
}
[[nodiscard]] inline std::string name_of_arrangement(testing::TestParamInfo<arrangement> const& given) {
  std::string name{to_string(given.param)};
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace packetwarp::test
