// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/drop_privileges.h"

#include <filesystem>

#include "base/log/log.h"
#include "base/process/privileges.h"
#include "plan/rights.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::vector<later_use> uses_of(files_used_later const& files) {
  std::vector<later_use> all;
  for (auto const& path : files.read) {
    if (!path.empty()) all.push_back({later_use::how::read, path});
  }
  for (auto const& path : files.written) {
    if (path.empty() || path == "-" || path == "none") continue;
    auto const folder = std::filesystem::path{path}.parent_path();
    all.push_back({later_use::how::write, folder.empty() ? "." : folder.string()});
  }
  return all;
}

}  // namespace

void settle_privileges(privileges how, plan const& made, files_used_later const& files) {
  if (how == privileges::kept) return;
  auto kept = rights_of(made);
  if (!file_modes_allow(uses_of(files))) kept.add(capability::dac_override);
  auto const deaf = keep_only(kept);
  if (deaf != 0) log().warn("{} threads of libraries take no signals, and keep the privileges that they had", deaf);
}

}  // namespace packetwarp
