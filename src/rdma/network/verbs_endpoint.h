// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "rdma/network/endpoint.h"
#include "rdma/verbs/verbs_settings.h"

namespace packetwarp::rdma {

// An end by libibverbs: the queues of any verbs device, posted by a CPU thread. Throws usage_error if there is no such
// device or GID, or if the build has no libibverbs; failure.
[[nodiscard]] std::unique_ptr<endpoint> make_verbs_endpoint(endpoint_settings const& settings,
                                                            verbs_settings const& on);
class verbs_calls;
// The same by other calls than libibverbs' own, in builds that have it.
[[nodiscard]] std::unique_ptr<endpoint> make_verbs_endpoint(endpoint_settings const& settings, verbs_settings const& on,
                                                            std::shared_ptr<verbs_calls> calls);

}  // namespace packetwarp::rdma
