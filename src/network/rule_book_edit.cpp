// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "network/rule_book_edit.h"

namespace packetwarp {

bool rule_book_edit::step() {
  if (!turn_ && !(turn_ = net_.begin_change())) return false;
  switch (stage_) {
    case stage::planning:
      if (!work_.plan()) break;
      work_.prepare();
      net_.grace().begin();
      stage_ = stage::prepared;
      break;
    case stage::prepared:
      if (!work_.make_way() || !net_.grace().is_over()) break;
      work_.publish();
      stage_ = stage::published;
      [[fallthrough]];
    case stage::published:
      if (!work_.finish()) break;
      turn_.reset();
      return true;
  }
  return false;
}

}  // namespace packetwarp
