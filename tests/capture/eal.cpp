// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "fixtures/eal_environment.h"

namespace {
[[maybe_unused]] auto* const eal = testing::AddGlobalTestEnvironment(new packetwarp::test::eal_environment);
}
