// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_flow.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "flow/rule.h"

namespace packetwarp::flow {

// The defaults of an rss action: the port's own, as in testpmd.
struct rss_defaults {
  std::uint64_t types{};    // RTE_ETH_RSS_*
  std::uint16_t queues{1};  // the port's receive queues, from 0; of more than 128 the first 128
};

// A rule in rte_flow's form: byte for byte as testpmd builds it from the same text. It owns everything that its arrays
// point to, so it must outlive the call that takes them; drivers copy the parts they keep. Movable: the arrays stay in
// place.
class nic_rule {
 public:
  explicit nic_rule(rule const& what, rss_defaults const& rss);

  [[nodiscard]] rte_flow_attr const& attr() const { return attr_; }
  // Both arrays end with their END element.
  [[nodiscard]] rte_flow_item const* pattern() const { return items_.data(); }
  [[nodiscard]] rte_flow_action const* actions() const { return actions_.data(); }

 private:
  struct rss_conf;
  [[nodiscard]] void const* keep(std::byte const* image, std::size_t size);
  void add(item const& what);
  void add(action const& what, rss_defaults const& rss);

  rte_flow_attr attr_{};
  std::vector<rte_flow_item> items_;
  std::vector<rte_flow_action> actions_;
  std::vector<std::unique_ptr<std::byte[]>> images_;
  std::vector<std::shared_ptr<rss_conf>> rss_;
};

}  // namespace packetwarp::flow
