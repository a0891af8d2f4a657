// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/event_log.h"

#include <fmt/format.h>

#include <chrono>

#include "base/error.h"

namespace packetwarp {
namespace {

constexpr std::chrono::seconds event_log_patience{2};

}  // namespace

event_log::event_log(std::string_view stage, std::string const& path, std::size_t room) {
  if (path.empty()) return;
  try {
    writer_.emplace(fmt::format("{} events {}", stage, path), make_log_file(path), room);
  } catch (failure const& wrong) {
    throw failure(fmt::format("{} events: {}", stage, wrong.what()));
  }
}

void event_log::finish() {
  if (writer_) writer_->finish(event_log_patience);
}

}  // namespace packetwarp
