// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/nat44/session_save.h"

#include <fmt/format.h>

#include <thread>
#include <utility>

#include "base/error.h"
#include "base/sleep.h"
#include "base/thread/background.h"
#include "file/distinct_files.h"

namespace packetwarp {
namespace {

// The records per call at the end of a run, when no other work waits.
constexpr std::uint32_t records_at_the_end = 8192;
// The sessions that a thread writes at a time.
constexpr std::size_t sessions_a_chunk = 65536;

}  // namespace

// The file is written under another name, in place of which it comes first.
void session_save::open(writing& to, std::string const& path, std::span<std::string const> own) {
  if (!own.empty()) {
    require_replaceable(path, own);
    require_replaceable(nat::session_file_writer::unfinished_name(path), own);
  }
  to.file.emplace(path);
}

session_save::session_save(nat44_tables const& table, std::string path, idle_times idle, std::vector<std::string> own)
    : table_{table}, path_{std::move(path)}, idle_{idle}, own_{std::move(own)} {}

void session_save::step(std::uint32_t records) {
  if (is_over_) return;
  try {
    if (written_.valid()) {
      if (written_.wait_for(std::chrono::seconds{0}) != std::future_status::ready) return;
      written_.get();
      is_over_ = at_ >= table_.records() && chunk_.empty();
      return;
    }
    collect(records);
    if (chunk_.size() >= sessions_a_chunk || at_ >= table_.records()) write();
  } catch (usage_error const& wrong) {
    error_ = wrong.what();
    is_over_ = is_refused_ = true;
  } catch (std::exception const& wrong) {
    error_ = wrong.what();
    is_over_ = true;
  }
}

void session_save::collect(std::uint32_t records) {
  table_.for_each(at_, at_ + records, [this](nat44_session const& one) {
    if (one.from != nat::origin::packet) return;
    chunk_.push_back({nat::key_of(one.kind, one.inside), nat::key_of(one.kind, one.outside),
                      idle_ == idle_times::known ? one.idle : 0, one.tcp});
  });
  at_ += records;
}

// The thread owns all its data, and is detached: a disk may keep it for ever.
void session_save::write() {
  sessions_ += chunk_.size();
  std::packaged_task<void()> task{
      [to = to_, path = path_, own = own_, chunk = std::exchange(chunk_, {}), is_last = at_ >= table_.records()] {
        yield_to_forwarding();
        if (!to->file) open(*to, path, own);
        for (auto const& one : chunk) to->file->add(one);
        if (is_last) to->file->finish();
      }};
  written_ = task.get_future();
  std::thread{std::move(task)}.detach();
}

void session_save::finish(std::chrono::seconds patience) {
  using clock = std::chrono::steady_clock;
  auto until = clock::now() + patience;
  while (!is_over_) {
    auto const before = at_;
    step(records_at_the_end);
    if (at_ != before) until = clock::now() + patience;
    if (written_.valid()) sleep_for(std::chrono::milliseconds{1});
    if (clock::now() < until || is_over_) continue;
    error_ = fmt::format("nat44 sessions: {}: the disk has taken nothing for {} s; the file of before is kept", path_,
                         patience.count());
    is_over_ = true;
  }
}

}  // namespace packetwarp
