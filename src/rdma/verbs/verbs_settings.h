// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace packetwarp::rdma {

struct verbs_settings {
  std::string device{};  // as libibverbs names it; empty: the only one
  int gid_index{-1};     // in the table of port 1; -1: the first GID of RoCE v2 over IPv4
};

}  // namespace packetwarp::rdma
