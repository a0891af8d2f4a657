// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/thread/call_thread.h"

#include <pthread.h>

#include <atomic>
#include <optional>
#include <utility>

#include "base/thread/beside_lcores.h"

namespace packetwarp {

// The state that the object and the thread share.
struct call_thread::shared {
  enum class turn : int { of_caller, of_thread, ended };

  // Makes every call that was begun, whatever happens meanwhile.
  void run() {
    for (;;) {
      whose.wait(turn::of_caller);
      if (whose == turn::ended) return;
      call();
      call = nullptr;
      whose = turn::of_caller;
      whose.notify_all();
      if (is_left) return;
    }
  }
  // Ends a thread that has no call.
  void end() {
    whose = turn::ended;
    whose.notify_all();
  }

  std::function<void()> call;  // owned by the side whose turn it is
  std::atomic<turn> whose{turn::of_caller};
  std::atomic<bool> is_left{false};
  std::optional<pthread_t> thread;  // not yet joined or detached
};

call_thread::call_thread(char const* name) : shared_{std::make_shared<shared>()} {
  shared_->thread = start_beside_lcores(name, [same = shared_] { same->run(); });
}

call_thread::~call_thread() {
  if (!shared_->thread) return;
  shared_->whose.wait(shared::turn::of_thread);
  shared_->end();
  ::pthread_join(*shared_->thread, nullptr);
}

bool call_thread::begin(std::function<void()> call) {
  if (is_busy()) return false;
  shared_->call = std::move(call);
  shared_->whose = shared::turn::of_thread;
  shared_->whose.notify_all();
  return true;
}

bool call_thread::is_busy() const { return shared_->is_left || shared_->whose != shared::turn::of_caller; }

void call_thread::abandon() {
  if (!shared_->thread) return;
  shared_->is_left = true;
  if (shared_->whose == shared::turn::of_caller) shared_->end();
  ::pthread_detach(*shared_->thread);
  shared_->thread.reset();
}

}  // namespace packetwarp
