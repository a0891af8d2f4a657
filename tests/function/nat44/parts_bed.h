// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fixtures/played_gpu.h"
#include "function/nat44/nat44_bed.h"
#include "function/nat44/nat44_tables.h"

namespace packetwarp::test {

// The router of nat44_bed.h on several GPUs, each of which has its part of the sessions. A packet comes to any of them,
// and is handed over as its verdict says, as TX jobs do it. The GPUs are the test.
class parts_bed {
 public:
  enum class by : std::uint8_t { gpu, cpu };

  explicit parts_bed(std::size_t parts, nat44_config const& config = small_nat()) {
    std::vector<table_place> places;
    for (std::size_t n = 0; n < parts; ++n) {
      domains_.emplace_back(static_cast<int>(n), std::make_unique<played_gpu>(), gpu_domain::patience{});
      places.push_back({static_cast<int>(n), &domains_.back()});
    }
    tables_ = std::make_unique<nat44_tables>(config, table_places{places});
    nat44_bed::set_up(routes_);
    tables_->tick(0);
    for (std::size_t n = 0; n < parts; ++n) {
      domains_[n].on_loss([this, n] {
        tables_->gpu_failed(n);
        working_[n] = by::cpu;
      });
      domains_[n].begin();
    }
    working_.assign(parts, by::gpu);
  }

  [[nodiscard]] std::size_t parts() const { return tables_->parts(); }
  nat44_tables& tables() { return *tables_; }
  router_table& routes() { return routes_; }
  // How often the last packet was handed over.
  [[nodiscard]] std::size_t hops() const { return hops_; }

  // A packet that came in by an interface, and to a pipeline of the GPU.
  verdict process(bytes& packet, interface_index from, std::size_t gpu) {
    hops_ = 0;
    for (;;) {
      auto ahead = packet;
      auto const said = routed_nat44::process(nat44_bed::view_of(packet), refs(gpu, from));
      expect_same_ahead(ahead, gpu, from, said, packet);
      if (said.what() != verdict::action::hand_over) return said;
      gpu = static_cast<std::size_t>(said.to_gpu());
      if (++hops_ > parts()) {
        ADD_FAILURE() << "it goes round";
        return said;
      }
    }
  }
  void lose(std::size_t gpu) {
    domains_[gpu].lose("a test says so");
    ASSERT_TRUE(domains_[gpu].look(now_cycles()));
  }

 private:
  [[nodiscard]] routed_nat44::ref refs(std::size_t gpu, interface_index from) {
    auto const& part = tables_->part(gpu);
    return {working_[gpu] == by::gpu ? part.gpu() : part.cpu(), routes_.cpu(from)};
  }
  // A packet again, by the short way of a CPU that looks ahead: what it has to be is known by now.
  void expect_same_ahead(bytes& packet, std::size_t gpu, interface_index from, verdict said, bytes const& wanted) {
    auto const all = refs(gpu, from);
    auto seen = routed_nat44::look_ahead(nat44_bed::view_of(packet), routed_nat44::hold(all));
    routed_nat44::look_further(seen, routed_nat44::hold(all));
    auto const again = routed_nat44::process(nat44_bed::view_of(packet), routed_nat44::hold(all), seen);
    EXPECT_EQ(again.raw(), said.raw());
    EXPECT_EQ(to_hex(packet), to_hex(wanted));
  }

  std::deque<gpu_domain> domains_;
  router_table routes_{{}, {.ipv4_groups = 64, .ipv6_groups = 16, .next_hops = 64, .hosts = 64}};
  std::unique_ptr<nat44_tables> tables_;
  std::vector<by> working_;
  std::size_t hops_{};
};

// That what came in leaves by another interface as `wanted`, byte for byte, whichever GPU it came to.
inline void expect_translation(parts_bed& bed, interface_index from, bytes const& packet, interface_index to,
                               bytes const& wanted) {
  for (std::size_t gpu = 0; gpu < bed.parts(); ++gpu) {
    auto after = packet;
    auto const said = bed.process(after, from, gpu);
    EXPECT_EQ(said, forwarded(to)) << name_of(said) << " at GPU " << gpu;
    EXPECT_EQ(to_hex(after), to_hex(wanted)) << "at GPU " << gpu;
  }
}

}  // namespace packetwarp::test
