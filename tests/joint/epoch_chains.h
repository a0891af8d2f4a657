// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "function/chain.h"
#include "function/forward/forward.h"
#include "function/switched.h"
#include "joint/epoch_mark.h"
#include "joint/header_score_apart.h"

namespace packetwarp::test {

using stamped_forward = chain<epoch_stamp, forward>;
using switched_marks = chain<switched<epoch_stamp>, switched<epoch_mark>, forward>;
// Beside a stage with kernels of its own: the groups of one kernel are of bursts of several epochs.
using marked_apart = chain<header_score_apart, epoch_mark, forward>;

static_assert(packet_function<stamped_forward> && works_alone<stamped_forward> && follows_epochs<stamped_forward>);
static_assert(packet_function<switched_marks> && follows_epochs<switched_marks>);
static_assert(packet_function<marked_apart> && follows_epochs<marked_apart>);
static_assert(!follows_epochs<chain<header_score_apart, forward>>);

}  // namespace packetwarp::test
