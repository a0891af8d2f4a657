// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "file/yaml_place.h"
#include "network/network.h"
#include "request/request.h"

namespace packetwarp {

using end_check = std::function<bool()>;

// Changes a running network to its file's present content: the whole file is read and checked, on a thread of its own,
// before the first change, and either all changes are made or none. Routes and neighbours change one after the other, a
// few at a time; packets meet the old ones or the new ones. The answer is {"text", "routes", "neighbours"}: the numbers
// of changed routes and neighbours. in_force: the content that the network is read from, now and afterwards. Both
// outlive the work. is_over: once the workers have ended, a reload that is not in force yet ends with failure.
[[nodiscard]] request_work reload(network& net, yaml_place& in_force, end_check is_over);

}  // namespace packetwarp
