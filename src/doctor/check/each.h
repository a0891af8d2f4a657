// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "doctor/finding.h"
#include "doctor/machine/machine.h"

namespace packetwarp::doctor {

// A reading of each device; if a device cannot be read, its own reading is unknown.
template <class Device, class Read>
[[nodiscard]] std::vector<reading> read_each(std::vector<Device> const& devices, Read read) {
  std::vector<reading> all;
  for (auto const& device : devices) {
    try {
      all.push_back(read(device));
    } catch (failure const& unread) {
      all.push_back({.of = {}, .is = status::unknown, .text = unread.what()});
    }
    all.back().of = device.address;
  }
  return all;
}

// A reading of the machine, or of the current device of read_each().
[[nodiscard]] inline reading found(status is, std::string text, std::string command = {}) {
  return {.of = {}, .is = is, .text = std::move(text), .command = std::move(command)};
}
[[nodiscard]] inline reading found(status is, std::string text, boot_parameters boot) {
  return {.of = {}, .is = is, .text = std::move(text), .command = {}, .boot = std::move(boot)};
}
// Remedies of a reading: a shell command of a machine, one of a container's host or engine, and fields of a pod's
// manifest.
struct remedies {
  std::string on_machine{};
  std::string of_container{};
  std::string in_manifest{};
};
// The field of a manifest that gives a container as many hugepages as a node should have free.
[[nodiscard]] inline std::string limit_of_hugepages(machine const& m) {
  return fmt::format("resources.limits.hugepages-2Mi: {}Mi, or hugepages-1Gi", m.hugepage_bytes >> 20);
}
// A reading with the remedy of the place where packetwarp runs.
[[nodiscard]] inline reading found(machine const& m, status is, std::string text, remedies with) {
  reading made{.of = {}, .is = is, .text = std::move(text), .command = {}, .boot = {}, .manifest = {}};
  switch (m.where) {
    case surroundings::machine:
      made.command = std::move(with.on_machine);
      break;
    case surroundings::container:
      made.command = std::move(with.of_container);
      break;
    case surroundings::pod:
      made.manifest = std::move(with.in_manifest);
      break;
  }
  return made;
}
// The only reading of a check.
[[nodiscard]] inline std::vector<reading> just(status is, std::string text, std::string command = {}) {
  return {found(is, std::move(text), std::move(command))};
}
[[nodiscard]] inline std::vector<reading> just(status is, std::string text, boot_parameters boot) {
  return {found(is, std::move(text), std::move(boot))};
}
[[nodiscard]] inline std::vector<reading> just(machine const& m, status is, std::string text, remedies with) {
  return {found(m, is, std::move(text), std::move(with))};
}

}  // namespace packetwarp::doctor
