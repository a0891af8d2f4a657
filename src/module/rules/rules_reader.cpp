// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/rules_reader.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/process/pipe_wait.h"
#include "file/values.h"

namespace packetwarp {
namespace {

constexpr std::array rules_sites{
    choice{std::string_view{"auto"}, rules_on::automatic}, choice{std::string_view{"nic"}, rules_on::nic},
    choice{std::string_view{"gpu"}, rules_on::gpu}, choice{std::string_view{"cpu"}, rules_on::cpu}};

[[nodiscard]] hairpin_mode hairpin_mode_at(yaml_place const& place) {
  auto const text = place.text();
  char* end{};
  auto const bits = std::strtoull(text.c_str(), &end, 0);
  auto const mode = text.empty() || *end != 0 ? std::nullopt : hairpin_mode_of(bits);
  if (mode) return *mode;
  place.refuse(
      fmt::format("'{}' is none of 0x0 (a port to itself), 0x1 (a loop), 0x2 (pairs), or these with 0x10 for "
                  "egress rules of one's own",
                  text));
}

void require_readable(yaml_place const& place, std::string const& file) {
  try {
    pipe_wait const beside{file};
    if (std::ifstream{file} && !std::filesystem::is_directory(file)) return;
  } catch (usage_error const& wrong) {
    place.refuse(wrong.what());
  }
  place.refuse(fmt::format("'{}' cannot be read; give a file of testpmd's flow commands", file));
}

}  // namespace

rules_config read_rules_section(yaml_place const& place) {
  place.require_keys({"file", "on", "receive_queues", "hairpin_queues", "hairpin_mode", "isolate"});
  auto const file = place.at("file");
  rules_config made{.line = place.line(), .file = file.name(), .told = file.told()};
  require_readable(file, made.file);
  if (auto const at = place.find("receive_queues"))
    made.receive_queues = static_cast<std::uint16_t>(at->number(1, 1024));
  if (auto const at = place.find("hairpin_queues")) made.hairpin_queues = static_cast<std::uint16_t>(at->number(0, 64));
  if (auto const at = place.find("hairpin_mode")) made.hairpin = hairpin_mode_at(*at);
  if (auto const at = place.find("on")) made.on = choice_at(*at, rules_sites);
  if (auto const at = place.find("isolate")) made.isolate = at->flag();
  return made;
}

}  // namespace packetwarp
