// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/cycles.h"
#include "base/ids.h"
#include "worker/big_loops.h"
#include "worker/mailbox.h"
#include "worker/worker.h"

namespace packetwarp {

class workforce;

// The state of a message whose sender waits.
enum class reply : std::uint8_t { awaited, given, timed_out };

// A message whose sender waits until it is carried out, up to a time-out: DPVS's synchronous message, except that the
// master does other work between its checks. For the master.
class question {
 public:
  // Puts the message into the worker's mailbox; if the mailbox is full, the question has timed out at once.
  question(workforce& workers, lcore_id to, std::shared_ptr<worker_message> what, cycles timeout);
  // The state of the question. A worker that has not answered in time is counted once; its answer may still come, and
  // is ignored.
  [[nodiscard]] reply look(cycles now);

 private:
  mailbox& box_;
  std::optional<std::uint64_t> number_;
  cycles deadline_;
  reply stands_{reply::awaited};
};

// Puts a message into a worker's mailbox and waits for nothing; false if the mailbox is full. For the master.
[[nodiscard]] bool tell(workforce& workers, lcore_id to, std::shared_ptr<worker_message> what);

// A worker as it was between two of its loop iterations.
struct worker_state {
  struct job_state {
    std::string name;
    cycles spent{};           // in polls that moved packets, of timed iterations
    std::uint64_t packets{};  // that these polls moved
    std::uint64_t big_loops{};
  };
  std::uint64_t loops{};
  cycles busy{};
  cycles all{};
  big_loops big;
  std::vector<job_state> jobs;
};

// Makes a worker report its state.
class tell_state final : public worker_message {
 public:
  // Room for the answer is made here, on the master.
  explicit tell_state(worker const& of);
  void carry_out(worker& on) override;
  // The answer, after the message has been carried out.
  [[nodiscard]] worker_state const& said() const { return state_; }

 private:
  worker_state state_;
};

// Makes a worker forget its big loops.
class reset_big_loops final : public worker_message {
 public:
  void carry_out(worker& on) override { on.reset_big_loops(); }
};

// Makes workers' jobs leave ports, because their device is taken away. It may be put into all mailboxes.
class leave_port final : public worker_message {
 public:
  explicit leave_port(std::vector<port_id> gone) : gone_{std::move(gone)} {}
  void carry_out(worker& on) override {
    for (auto const id : gone_) on.leave(id);
  }

 private:
  std::vector<port_id> const gone_;
};

// Makes workers' jobs use a port again that they had left. It may be put into all mailboxes.
class rejoin_port final : public worker_message {
 public:
  explicit rejoin_port(port_id back) : back_{back} {}
  void carry_out(worker& on) override { on.rejoin(back_); }

 private:
  port_id const back_;
};

// A message to every worker that has jobs. A full mailbox gets it as soon as it has room. For the master.
class broadcast {
 public:
  broadcast(workforce& workers, std::shared_ptr<worker_message> what);
  // Whether every worker has carried the message out. Called until it is true.
  [[nodiscard]] bool is_done();

 private:
  // No number while the worker's mailbox is full.
  struct addressee {
    lcore_id lcore;
    std::optional<std::uint64_t> message;
  };
  workforce& workers_;
  std::shared_ptr<worker_message> what_;
  std::vector<addressee> addressees_;
};

// Asks every worker that has jobs the same question at once. For the master.
class worker_survey {
 public:
  enum class about : std::uint8_t { state, reset };
  struct entry {
    lcore_id lcore;
    std::shared_ptr<tell_state> state;  // none if the workers are told to reset
    question asked;
    reply stands{reply::awaited};
  };

  worker_survey(workforce& workers, about what, cycles timeout);
  // Whether every worker has answered or timed out.
  [[nodiscard]] bool is_over(cycles now);
  [[nodiscard]] std::vector<entry> const& entries() const { return entries_; }

 private:
  std::vector<entry> entries_;
};

}  // namespace packetwarp
