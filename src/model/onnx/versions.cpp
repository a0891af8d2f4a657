// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/onnx/versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.h"
#include "model/node_place.h"

namespace packetwarp::model::onnx {
namespace {

// Files have imported versions of operations since the first one; the second one is of ONNX 1.23.
constexpr std::int64_t oldest_format = 3;
constexpr std::int64_t newest_format = 14;

struct operations {
  std::string_view domain;
  std::int64_t newest;
};
constexpr std::array<operations, 3> known{{{"ai.onnx", 28}, {"ai.onnx.ml", 5}, {"com.microsoft", 1}}};
// ai.onnx.ml has had the operation TreeEnsemble in place of both others since then.
constexpr std::int64_t first_without_old_trees = 5;

// ONNX's own domain has two names.
[[nodiscard]] std::string_view name_of_domain(std::string_view domain) { return domain.empty() ? "ai.onnx" : domain; }

void require_known(file const& file, operations const& of, std::int64_t version) {
  if (version >= 1 && version <= of.newest) return;
  throw usage_error(fmt::format("{}: its operations of {} have the version {}; allowed are 1 to {}", file.path,
                                of.domain, version, of.newest));
}

// The version that a file imports of these operations; 0: none.
[[nodiscard]] std::int64_t version_of(file const& file, operations const& of) {
  std::int64_t found = 0;
  for (auto const& [domain, version] : file.imports) {
    if (name_of_domain(domain) != of.domain) continue;
    require_known(file, of, version);
    // skl2onnx writes the same import twice.
    if (found != 0 && found != version) {
      throw usage_error(fmt::format("{}: its operations of {} have two versions, {} and {}; allowed is one", file.path,
                                    of.domain, found, version));
    }
    found = version;
  }
  return found;
}

void require_version(file const& file, node const& node, operations const& of, std::int64_t version) {
  if (version == 0) {
    throw usage_error(
        fmt::format("{}: does not say which version of {} its operations have (opset_import); allowed are 1 to {}",
                    file.path, of.domain, of.newest));
  }
  bool const is_old_tree = node.op_type == "TreeEnsembleClassifier" || node.op_type == "TreeEnsembleRegressor";
  if (of.domain == "ai.onnx.ml" && is_old_tree && version >= first_without_old_trees) {
    node_place{file.path, node}.refuse(
        fmt::format("is not in version {} of ai.onnx.ml; allowed are 1 to {}", version, first_without_old_trees - 1));
  }
}

}  // namespace

void require_known_versions(file const& file) {
  if (file.format < oldest_format || file.format > newest_format) {
    throw usage_error(fmt::format("{}: its ir_version is {}; allowed are {} to {}", file.path, file.format,
                                  oldest_format, newest_format));
  }
  for (auto const& of : known) {
    auto const version = version_of(file, of);
    for (auto const& node : file.nodes) {
      if (name_of_domain(node.domain) == of.domain) require_version(file, node, of, version);
    }
  }
}

}  // namespace packetwarp::model::onnx
