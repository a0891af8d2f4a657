// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "memory/eal_session.h"
#include "rdma/network/network_test.h"
#include "rdma/network/verbs_endpoint.h"
#include "wire/address.h"

namespace packetwarp {

// Options that rdma-bw and rdma-lat have for a peer across a network.
struct network_options {
  rdma::peer_settings peer{};
  rdma::endpoint_settings end{};
  rdma::verbs_settings verbs{};
  std::optional<wire::ipv4_address> address{};
};

// Their texts, as CLI11 reads them.
struct network_texts {
  std::optional<std::string> server, address, port, mtu, timeout, retries, device, gid;
  void declare(CLI::App& app);
  // Throws usage_error.
  [[nodiscard]] network_options read() const;
  // Whether one of them was given.
  [[nodiscard]] bool any() const;
};

// Whether a call asks for engine `roce`, so that words before "--" are the EAL's.
[[nodiscard]] bool asks_for_a_port(invocation const& call);

// An end on the first port that the EAL's words name, or on a verbs device. The EAL's session outlives the end.
struct network_end {
  std::unique_ptr<eal_session> eal;
  std::unique_ptr<rdma::endpoint> end;
};
// Throws usage_error, failure.
[[nodiscard]] network_end open_roce_end(invocation const& call, network_options const& options);

// "64 packets sent, 1 of them again; ...": the counters in which a network's losses show.
[[nodiscard]] std::string losses_of(std::vector<std::pair<std::string, std::uint64_t>> const& counters);

}  // namespace packetwarp
