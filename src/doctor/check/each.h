// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "doctor/finding.h"

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
// The only reading of a check.
[[nodiscard]] inline std::vector<reading> just(status is, std::string text, std::string command = {}) {
  return {found(is, std::move(text), std::move(command))};
}
[[nodiscard]] inline std::vector<reading> just(status is, std::string text, boot_parameters boot) {
  return {found(is, std::move(text), std::move(boot))};
}

}  // namespace packetwarp::doctor
