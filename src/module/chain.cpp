// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "module/modules.h"

namespace packetwarp {
namespace {

using stage_names = std::vector<std::string_view>;

[[nodiscard]] std::string_view key_of(module_kind const& kind) { return kind.facts().keys.all.front(); }

[[nodiscard]] module_kind const* find_kind(std::string_view stage) {
  auto const all = module_kinds();
  auto const found = std::find_if(all.begin(), all.end(), [&](auto const* one) { return one->name() == stage; });
  return found == all.end() ? nullptr : *found;
}

// Whether all its stages have modules: other chains are for runs without a file.
[[nodiscard]] bool is_for_networks(function_facts const& one) {
  return std::all_of(one.stages.begin(), one.stages.end(), find_kind);
}

// The way in which a file wants its chain to run.
enum class chain_as : std::uint8_t { fastest, special, general };

[[nodiscard]] chain_as read_chain_as(yaml_place const& root) {
  auto const at = root.find("chain_as");
  if (!at) return chain_as::fastest;
  auto const word = at->text();
  if (word == "special") return chain_as::special;
  if (word == "general") return chain_as::general;
  at->refuse(fmt::format("'{}' is none of special, general", word));
}

[[nodiscard]] function_facts const* find_compiled(stage_names const& stages) {
  auto const* const found = find_special(stages);
  return found != nullptr && is_for_networks(*found) ? found : nullptr;
}

// The chain of these stages that is compiled by itself, or the part of the general chain.
[[nodiscard]] function_facts const* find(stage_names const& stages, chain_as wanted) {
  auto const* const found = wanted == chain_as::general ? nullptr : find_compiled(stages);
  return found != nullptr || wanted == chain_as::special ? found : find_general(stages);
}

// The chain of these stages, or of these stages and the one that routes after them. A chain that is compiled without
// that stage routes nothing.
[[nodiscard]] function_facts const* find_routed(stage_names stages, chain_as wanted) {
  if (auto const* const found = find_compiled(stages)) {
    return wanted == chain_as::general ? find_general(stages) : found;
  }
  if (auto const* const found = find(stages, wanted)) return found;
  stages.push_back(module_kinds().front()->name());
  return find(stages, wanted);
}

// "[rules, router]"
[[nodiscard]] std::string text_of_stages(std::span<std::string_view const> stages) {
  std::string all;
  for (auto const stage : stages) all.append(all.empty() ? "" : ", ").append(stage);
  return '[' + all + ']';
}

[[nodiscard]] std::string all_compiled() {
  std::string all;
  for (auto const* const one : compiled_function_facts()) {
    if (is_for_networks(*one)) all.append(all.empty() ? "" : ", ").append(text_of_stages(one->stages));
  }
  for (auto const* const one : general_function_facts())
    all.append(", and parts of ").append(text_of_stages(one->stages));
  return all;
}

// The stages whose sections the file has, in the order of a chain.
[[nodiscard]] stage_names stages_of_sections(yaml_place const& root) {
  stage_names stages;
  auto const all = module_kinds();
  for (auto kind = all.rbegin(); kind != all.rend(); ++kind) {
    if (*kind != all.front() && root.find(std::string{key_of(**kind)})) stages.push_back((*kind)->name());
  }
  // Routes add the stage that routes, even if the other stages need none.
  if (root.find(std::string{key_of(*all.front())})) stages.push_back(all.front()->name());
  return stages;
}

[[nodiscard]] stage_names read_stages(yaml_place const& list) {
  stage_names stages;
  for (auto const& one : list.items()) {
    auto const* const kind = find_kind(one.text());
    if (kind == nullptr) {
      one.refuse(fmt::format("'{}' is no stage of a network; compiled chains are {}", one.text(), all_compiled()));
    }
    stages.push_back(kind->name());
  }
  if (stages.empty()) list.refuse(fmt::format("no stage; compiled chains are {}", all_compiled()));
  return stages;
}

// A section without its stage would have no effect, and a stage without its section has no work; only the stage that
// routes can work by the interfaces' addresses alone.
void require_sections(yaml_place const& root, yaml_place const& list, function_facts const& chain) {
  for (auto const* const kind : module_kinds()) {
    auto const key = key_of(*kind);
    auto const section = root.find(std::string{key});
    bool const is_stage = chain.has_stage(kind->name());
    if (section && !is_stage) {
      section->refuse(
          fmt::format("the chain has no stage '{}'; name it in 'chain', or take '{}' out", kind->name(), key));
    }
    if (!section && is_stage && kind != module_kinds().front()) {
      list.refuse(fmt::format("the stage '{}' needs the section '{}', which is missing", kind->name(), key));
    }
  }
}

}  // namespace

bool is_routed(function_facts const& chain) { return chain.has_stage(module_kinds().front()->name()); }

function_facts const& chain_of(yaml_place const& root) {
  auto const list = root.find("chain");
  auto const stages = list ? read_stages(*list) : stages_of_sections(root);
  auto const wanted = read_chain_as(root);
  auto const* const found = find_routed(stages, wanted);
  if (found == nullptr && wanted == chain_as::general && find_routed(stages, chain_as::fastest) != nullptr) {
    root.at("chain_as").refuse(fmt::format("the general chain does not run {}: it routes", text_of_stages(stages)));
  }
  if (found == nullptr) {
    (list ? *list : root)
        .refuse(fmt::format("no chain {} is compiled; there are {}", text_of_stages(stages), all_compiled()));
  }
  if (list) require_sections(root, *list, *found);
  return *found;
}

}  // namespace packetwarp
