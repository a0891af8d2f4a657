// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rdma/network/endpoint.h"

namespace packetwarp::rdma {

struct verbs_settings {
  std::string device{};  // as libibverbs names it; empty: the only one
  int gid_index{-1};     // in the table of port 1; -1: the first GID of RoCE v2 over IPv4
};

// An end by libibverbs: the queues of any verbs device, posted by a CPU thread. Throws usage_error if there is no such
// device or GID, or if the build has no libibverbs; failure.
[[nodiscard]] std::unique_ptr<endpoint> make_verbs_endpoint(endpoint_settings const& settings,
                                                            verbs_settings const& on);

}  // namespace packetwarp::rdma
