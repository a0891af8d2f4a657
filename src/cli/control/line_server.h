// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <string_view>

#include "cli/control/unix_socket.h"

namespace packetwarp {

// The work that a request asks for, a slice a call: what the answer is, without a line's end, or nothing yet.
using request_work = std::function<std::optional<std::string>()>;

struct line_server_limits {
  std::size_t clients{16};
  std::size_t request{65536};         // bytes of a line, its end included
  std::chrono::seconds patience{30};  // for a client that neither asks nor takes its answer
  unsigned rest{0};                   // times as long as a slice of work has taken no other is begun
};

// Answers lines by lines on a unix stream socket. It has no thread and never waits: its owner polls it, and each poll
// reads and writes a bounded number of bytes for every client, and works a slice for one of them, in turn. A client is
// not listened to until it has taken its last answer, so slow ones cost a buffer and hold up nobody. A client that
// comes when all places are taken gets that of the client that has been idle for longest. One thread.
class line_server {
 public:
  using clock = std::chrono::steady_clock;
  // Takes a request's line apart; must not throw.
  using handler = std::function<request_work(std::string_view)>;

  // Throws as listen_at does. refusal: the answer to lines that are too long, and to clients that are too many.
  line_server(std::string path, handler begins, std::function<std::string(std::string_view why)> refusal,
              line_server_limits limits = {});
  line_server(line_server const&) = delete;
  line_server& operator=(line_server const&) = delete;
  // Takes the path away.
  ~line_server();

  void poll(clock::time_point now);
  [[nodiscard]] std::string const& path() const { return path_; }
  [[nodiscard]] std::size_t clients() const { return clients_.size(); }

 private:
  struct client {
    owned_fd connection;
    std::string in;         // read and not yet taken
    request_work work;      // or none
    std::string out;        // an answer
    std::size_t written{};  // of it
    clock::time_point since;
    bool ends{};  // with the answer
  };
  using client_place = std::list<client>::iterator;
  void accept_clients(clock::time_point now);
  void make_room();
  // Of those that work for nobody at the moment; end() where there is none.
  [[nodiscard]] client_place most_idle();
  enum class turn : std::uint8_t { others, its };  // whose turn to work it is
  // False: it has gone, or has to go.
  [[nodiscard]] bool serve(client& one, clock::time_point now, turn& whose);
  [[nodiscard]] bool read(client& one, clock::time_point now);
  [[nodiscard]] bool write(client& one, clock::time_point now);
  void begin(client& one);
  void refuse(client& one, std::string_view why);

  std::string path_;
  handler begins_;
  std::function<std::string(std::string_view)> refusal_;
  line_server_limits limits_;
  owned_fd listening_;
  std::list<client> clients_;
  clock::time_point rests_until_{};
};

}  // namespace packetwarp
