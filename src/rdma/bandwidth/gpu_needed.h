// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace packetwarp::rdma {

// Throws usage_error on a machine without a GPU; its line says that `instead`, options of a command, need none.
void require_any_gpu(std::string_view instead);

}  // namespace packetwarp::rdma
