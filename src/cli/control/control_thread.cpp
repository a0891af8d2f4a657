// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/control/control_thread.h"

#include <utility>

#include "base/thread/beside_lcores.h"

namespace packetwarp {

control_thread::control_thread(std::string const& name, std::function<void(std::stop_token const&)> work)
    : task_{new task{.work = std::move(work)}}, thread_{start_beside_lcores(name.c_str(), [it = task_.get()] {
        it->work(it->stop.get_token());
      })} {}

control_thread::~control_thread() {
  task_->stop.request_stop();
  ::pthread_join(thread_, nullptr);
}

}  // namespace packetwarp
