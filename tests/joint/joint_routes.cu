// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/device/kernels.cuh"
#include "function/chain.h"
#include "function/router/router.h"
#include "function/switched.h"
#include "joint/payload_sum.h"
#include "joint/route_score.h"
#include "joint/score_kernel.cuh"

namespace packetwarp {

using judged_routes = chain<test::payload_sum, test::header_score, router>;
using routes_judged_apart = chain<test::payload_sum, test::header_score_apart, router>;
using switched_scores = chain<switched<test::payload_sum>, switched<test::route_score>, router>;

template gpu_program make_gpu_program<judged_routes>(judged_routes::ref const&, packet_route);
template gpu_program make_gpu_program<routes_judged_apart>(routes_judged_apart::ref const&, packet_route);
template gpu_program make_gpu_program<switched_scores>(switched_scores::ref const&, packet_route);

}  // namespace packetwarp
