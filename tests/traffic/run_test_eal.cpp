// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "fixtures/eal_environment.h"

[[maybe_unused]] static auto* const eal =
    testing::AddGlobalTestEnvironment(new packetwarp::test::eal_environment{1, {}, 512});
