// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/tables_change.h"

namespace packetwarp {

bool tables_change::step() {
  if (!turn_ && !(turn_ = turns_.begin())) return false;
  switch (stage_) {
    case stage::planning:
      if (all(&module_change::plan)) prepare();
      break;
    case stage::prepared:
      if (turns_.grace().is_over()) stage_ = stage::applying;
      break;
    case stage::applying:
      apply();
      break;
    case stage::undoing:
      undo();
      break;
    case stage::applied:
      publish();
      break;
    case stage::published:
      if (!all(&module_change::finish)) break;
      turn_.reset();
      return true;
  }
  return false;
}

// Takes one change after the other through a step: true when the last has done it.
bool tables_change::all(bool (module_change::*one)()) {
  for (; at_ < changes_.size(); ++at_) {
    if (!((*changes_[at_]).*one)()) return false;
  }
  at_ = 0;
  return true;
}

void tables_change::prepare() {
  for (auto const& one : changes_) one->prepare();
  turns_.grace().begin();
  stage_ = stage::prepared;
}

void tables_change::apply() {
  try {
    if (all(&module_change::apply)) stage_ = stage::applied;
  } catch (std::exception const&) {
    retreat();
  }
}

// Mostly because room was short: the old state returns.
void tables_change::retreat() {
  refused_ = std::current_exception();
  at_ = 0;
  stage_ = stage::undoing;
}

void tables_change::undo() {
  if (all(&module_change::undo)) std::rethrow_exception(refused_);
}

void tables_change::publish() {
  try {
    if (!all(&module_change::make_way)) return;
  } catch (std::exception const&) {
    return retreat();
  }
  for (auto const& one : changes_) one->publish();
  stage_ = stage::published;
}

}  // namespace packetwarp
