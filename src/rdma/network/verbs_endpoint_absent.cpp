// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "rdma/network/verbs_endpoint.h"

namespace packetwarp::rdma {

std::unique_ptr<endpoint> make_verbs_endpoint(endpoint_settings const& /*settings*/, verbs_settings const& /*on*/) {
  throw usage_error(
      "rdma: this build has no libibverbs, which --transport verbs needs: install libibverbs-dev and build again");
}

}  // namespace packetwarp::rdma
