// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <numeric>

#include "base/process/stop.h"
#include "fixtures/mbufs.h"
#include "fixtures/packet_builder.h"
#include "fixtures/wire.h"
#include "master/data_plane.h"
#include "master/supervisor.h"

namespace packetwarp::test {

// Lets a test act in every loop iteration of the master, before the supervisor.
class watched_master final : public workforce::master {
 public:
  watched_master(supervisor& inner, std::function<void()> on_look) : inner_{inner}, on_look_{std::move(on_look)} {}
  run_phase supervise(cycles now) override {
    if (on_look_) on_look_();
    return inner_.supervise(now);
  }

 private:
  supervisor& inner_;
  std::function<void()> on_look_;
};

// A data plane between two wires: frames that the test sends into the far end of one come out of the far end of the
// other. The addresses of all frames are the same; after them is each frame's number.
class forwarding_fixture : public testing::Test {
 protected:
  static constexpr std::uint16_t queues = 2;
  static constexpr std::uint32_t depth_in = 1024;
  static constexpr std::uint32_t depth_out = 512;
  static constexpr std::size_t number_at = 14;

  forwarding_fixture() {
    clear_stop_request();
    config_.pipelines = 1;
    config_.data_room = 256;
    config_.pool_cache = 0;
    config_.isolated_ring = 1024;
    config_.rx_descriptors = config_.tx_descriptors = 64;
    config_.ports = {in_.right(), out_.left()};
    // No port is ever stuck here unless a test wants it to be.
    config_.tx_timeout = std::chrono::hours{1};
    limits_.drain_timeout = std::chrono::hours{1};
  }
  ~forwarding_fixture() override { clear_stop_request(); }

  // Sends up to `count` more frames, as many as the wire takes.
  void send(std::uint32_t count, std::size_t size = 60, queue_id queue = queue_id{0}) {
    for (std::uint32_t i = 0; i < count; ++i) {
      auto frame = packet_builder{}.eth("02:00:00:00:00:01", "02:00:00:00:00:02").build();
      frame.resize(std::max(size, number_at + sizeof sent_));
      std::memcpy(&frame[number_at], &sent_, sizeof sent_);
      frame.resize(size);
      std::array packet{make_packet(packets_, frame)};
      if (source_.tx(queue).send(packet) == 0) {
        rte_pktmbuf_free(packet[0]);
        return;
      }
      ++sent_;
    }
  }
  // Takes what has come out, checks that its addresses are swapped, and notes its numbers.
  void collect(queue_id queue = queue_id{0}) {
    auto const swapped = packet_builder{}.eth("02:00:00:00:00:02", "02:00:00:00:00:01").build();
    for (auto* packet : receive_all(sink_.rx(queue))) {
      auto const frame = bytes_of(*packet);
      rte_pktmbuf_free(packet);
      ASSERT_GE(frame.size(), number_at + sizeof sent_);
      EXPECT_EQ(std::memcmp(frame.data(), swapped.data(), 12) == 0, config_.executor == executor_kind::cpu);
      std::uint32_t number = 0;
      std::memcpy(&number, &frame[number_at], sizeof number);
      arrived_.push_back(number);
    }
  }
  [[nodiscard]] std::vector<std::uint32_t> numbers(std::uint64_t count) const {
    std::vector<std::uint32_t> all(count);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  // Runs until a limit is reached or the test asks to stop, and checks the invariants of every run. at_end: called when
  // the workers have ended, and the data plane still exists.
  void run(std::function<void(data_plane&, supervisor&)> const& on_look = {},
           std::function<void()> const& at_end = {}) {
    data_plane plane{make_plan(config_, read_machine())};
    supervisor inner{plane, limits_, [this](measurement const& m) { periods_.push_back(m); }};
    watched_master master{inner, [&] {
                            if (on_look) on_look(plane, inner);
                          }};
    plane.workers().run(master, std::chrono::seconds{60});
    if (at_end) at_end();
    totals_ = plane.totals();
    measured_ = inner.measured();
    cause_ = inner.cause();
    for (std::size_t why = 0; why < max_drop_reasons; ++why) {
      std::uint64_t count = 0;
      for (auto const& p : plane.pipelines()) count += p.counters().departures.dropped[why].read();
      if (count != 0) drops_[std::string{plane.pipelines()[0].name_of(static_cast<drop_reason>(why))}] = count;
    }
    check_conservation();
  }
  void check_conservation() {
    EXPECT_EQ(totals_.rx_packets, totals_.tx_packets + totals_.punted + totals_.dropped_packets);
    std::uint64_t named = 0;
    for (auto const& [name, count] : drops_) named += count;
    EXPECT_EQ(named, totals_.dropped_packets);
  }

  packet_pool packets_{small_pool("forwarding_test", 4095, 256)};
  ring_wire in_{make_wire(queues, depth_in)};
  ring_wire out_{make_wire(queues, depth_out)};
  port source_{describe_port(in_.left()), {.rx_queues = queues, .tx_queues = queues}, packets_};
  port sink_{describe_port(out_.right()), {.rx_queues = queues, .tx_queues = queues}, packets_};
  data_plane_config config_;
  run_limits limits_;

  std::uint32_t sent_{0};
  std::vector<std::uint32_t> arrived_;
  data_plane_totals totals_;
  measurement measured_;
  end_cause cause_{end_cause::none};
  std::map<std::string, std::uint64_t> drops_;
  std::vector<measurement> periods_;
};

}  // namespace packetwarp::test
