// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/log/log_writer.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/log/log.h"
#include "base/thread/background.h"

namespace packetwarp {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t bytes_at_once = std::size_t{64} << 10;
constexpr std::chrono::milliseconds retry_period{100};
constexpr std::chrono::seconds complaint_period{10};  // a log that keeps failing is reported this often at most

}  // namespace

// The state that caller and thread share. The mutex is held for as long as memory is copied, never while writing.
struct log_writer::queue {
  std::string what;
  std::unique_ptr<log_target> to;
  std::mutex mutex{};
  std::condition_variable changed{};
  std::string pending{};
  bool ends{false};
  bool has_ended{false};
  std::atomic<bool> gives_up{false};
  std::atomic<std::size_t> bytes{0};  // put and not yet written
  std::atomic<std::uint64_t> put{0}, written{0}, refused{0}, left{0};
  // Members of the writer's thread.
  std::size_t of_open_line{0};  // bytes written of a line that is not whole yet
  int error{0};
  clock::time_point told{};

  void run();
  [[nodiscard]] bool take(std::string& batch);
  void write(std::string_view batch);
  void note(int failed);
};

void log_writer::queue::run() {
  yield_to_forwarding();
  std::string batch;
  while (take(batch)) write(batch);
  if (of_open_line != 0) to->take_back(of_open_line);
  std::lock_guard const lock{mutex};
  has_ended = true;
  changed.notify_all();
}

// False: no more lines come.
bool log_writer::queue::take(std::string& batch) {
  batch.clear();
  std::unique_lock lock{mutex};
  changed.wait(lock, [this] { return !pending.empty() || ends; });
  if (gives_up.load(std::memory_order_relaxed)) return false;
  std::swap(batch, pending);
  return !batch.empty();
}

void log_writer::queue::write(std::string_view batch) {
  while (!batch.empty() && !gives_up.load(std::memory_order_relaxed)) {
    auto const n = to->write(batch.substr(0, bytes_at_once));
    if (n <= 0) {
      note(n == 0 ? ENOSPC : static_cast<int>(-n));
      to->wait(retry_period);
      continue;
    }
    note(0);
    auto const some = batch.substr(0, static_cast<std::size_t>(n));
    written.fetch_add(static_cast<std::uint64_t>(std::count(some.begin(), some.end(), '\n')),
                      std::memory_order_relaxed);
    bytes.fetch_sub(some.size(), std::memory_order_relaxed);
    auto const last_end = some.rfind('\n');
    of_open_line = last_end == std::string_view::npos ? of_open_line + some.size() : some.size() - last_end - 1;
    batch.remove_prefix(some.size());
  }
}

// Notes an error. A slow reader is not an error that a user can mend; complain() reports the lines that it costs.
void log_writer::queue::note(int failed) {
  if (failed == EAGAIN || failed == EINTR || failed == error) return;
  // The process may be ending, and its log with it.
  if (gives_up.load(std::memory_order_relaxed)) return;
  auto const now = clock::now();
  if (failed == 0) {
    log().info("{}: it can be written again; {} lines were lost", what, refused.load(std::memory_order_relaxed));
  } else if (told == clock::time_point{} || now - told >= complaint_period) {
    told = now;
    log().warn("{}: {}; its lines wait until it can be written, and are lost when their room is full", what,
               std::strerror(failed));
  }
  error = failed;
}

log_writer::log_writer(std::string what, std::unique_ptr<log_target> to, std::size_t room)
    : queue_{new queue{.what = std::move(what), .to = std::move(to)}}, room_{room} {
  thread_ = std::thread{[shared = queue_] { shared->run(); }};
}

log_writer::~log_writer() { finish(std::chrono::milliseconds{0}); }

bool log_writer::put(std::string_view line) {
  if (queue_->bytes.load(std::memory_order_relaxed) + line.size() + 1 > room_) {
    queue_->refused.fetch_add(1, std::memory_order_relaxed);
    complain();
    return false;
  }
  queue_->bytes.fetch_add(line.size() + 1, std::memory_order_relaxed);
  queue_->put.fetch_add(1, std::memory_order_relaxed);
  std::lock_guard const lock{queue_->mutex};
  queue_->pending.append(line).push_back('\n');
  return true;
}

void log_writer::flush() {
  {
    std::lock_guard const lock{queue_->mutex};
    if (queue_->pending.empty()) return;
  }
  queue_->changed.notify_all();
}

log_counts log_writer::counts() const {
  return {.written = queue_->written.load(std::memory_order_relaxed),
          .lost = queue_->refused.load(std::memory_order_relaxed) + queue_->left.load(std::memory_order_relaxed)};
}

void log_writer::complain() {
  auto const now = clock::now();
  if (complained_ != clock::time_point{} && now - complained_ < complaint_period) return;
  complained_ = now;
  log().warn("{}: it does not take lines as fast as they come, and the room for them is full: {} lines lost so far",
             queue_->what, queue_->refused.load(std::memory_order_relaxed));
}

void log_writer::finish(std::chrono::milliseconds patience) {
  if (!thread_.joinable()) return;
  std::unique_lock lock{queue_->mutex};
  queue_->ends = true;
  queue_->changed.notify_all();
  auto const has_ended = [this] { return queue_->has_ended; };
  if (!queue_->changed.wait_for(lock, patience, has_ended)) {
    queue_->gives_up.store(true, std::memory_order_relaxed);
    queue_->changed.notify_all();
    (void)queue_->changed.wait_for(lock, 2 * retry_period, has_ended);
  }
  bool const is_held = !queue_->has_ended;
  lock.unlock();
  if (is_held) {
    thread_.detach();
  } else {
    thread_.join();
  }
  auto const left = queue_->put.load(std::memory_order_relaxed) - queue_->written.load(std::memory_order_relaxed);
  queue_->left.store(left, std::memory_order_relaxed);
  if (left != 0) log().warn("{}: {} lines could not be written before the end and are lost", queue_->what, left);
}

}  // namespace packetwarp
