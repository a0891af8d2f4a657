// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/process/owned_fd.h"

struct nlmsghdr;

namespace packetwarp {

// The kernel's own messages (rtnetlink(7)) about an interface of this network namespace: whether it was set down or up
// since the last question. They also tell of an interface that was down only between two questions, and they follow it
// by its index, whatever it is called.
class link_news {
 public:
  // From now on; an interface has the name, and is up. Throws failure if netlink is not available.
  explicit link_news(std::string const& interface);

  enum class change : std::uint8_t {
    none,
    down,  // it was set down
    up,    // it was down, since the last question or before, and is up again
    left   // it was deleted or moved to another network namespace
  };
  // Does not wait.
  [[nodiscard]] change take();

 private:
  enum class state : std::uint8_t { up, down, elsewhere };
  void read(nlmsghdr const& message);
  void ask();
  unsigned index_;
  owned_fd socket_;
  state told_{state::up};  // by the last take()
  state now_{state::up};
  bool was_down_{};  // since then
};

}  // namespace packetwarp
