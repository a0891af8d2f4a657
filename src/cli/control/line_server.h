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
#include "request/request.h"

namespace packetwarp {

struct line_server_limits {
  std::size_t clients{16};
  std::size_t request{65536};         // bytes of a line, its end included
  std::chrono::seconds patience{30};  // for a client that neither asks nor takes its answer
  std::chrono::seconds silence{2};    // after which a client within its answer may lose its place
  std::chrono::seconds answer{10};    // in which a client takes its answer and keeps its place
  unsigned rest{0};                   // pause after a slice of work, in multiples of the slice's time
};

// Why a client is refused: its request is wrong, or no place is free for it, and nothing of its request was done.
enum class refused : std::uint8_t { request, place };

// Answers lines by lines on a unix stream socket. It has no thread and never waits: its owner polls it, and each poll
// reads and writes a bounded number of bytes for every client, and works a slice for one client, in turn. A client is
// not read from until it has taken its last answer, so slow clients cost a buffer and hold up no other.
//
// A client that comes when all places are taken gets the place of another client. Two kinds of clients lose their
// places, the first kind first, and within a kind first the client that has been silent for longest:
//   1. clients that have asked nothing since their last answer, and clients that do not take their answer: no byte for
//      limits.silence, or not all of it within limits.answer;
//   2. clients that have had an answer and whose next request waits.
// Clients whose first request waits, clients that are worked for, and clients that take their answer keep their places:
// if they have all places, the newcomer is refused. A client that loses its place, or gets none, is told so, and
// nothing of its request is done; only within an answer it is left without a message. For a single thread.
class line_server {
 public:
  using clock = std::chrono::steady_clock;
  // Parses a request's line; must not throw.
  using handler = std::function<request_work(std::string_view)>;

  using refuser = std::function<std::string(std::string_view why, refused what)>;

  // Throws as listen_at does. refusal: the answer to lines that are too long, and to clients that are too many.
  line_server(std::string path, handler begins, refuser refusal, line_server_limits limits = {});
  line_server(line_server const&) = delete;
  line_server& operator=(line_server const&) = delete;
  // Removes the path.
  ~line_server();

  void poll(clock::time_point now);
  [[nodiscard]] std::string const& path() const { return path_; }
  [[nodiscard]] std::size_t clients() const { return clients_.size(); }

 private:
  struct client {
    owned_fd connection;
    std::string in;                               // read and not yet taken
    bool has_asked{};                             // `in` has a whole line
    request_work work;                            // or none
    std::string out;                              // an answer
    std::size_t written{};                        // of it
    std::optional<clock::time_point> answered{};  // when the last answer was ready to be taken
    clock::time_point since{};                    // bytes have moved, or the server has worked for it
    bool ends{};                                  // with the answer
  };
  using client_place = std::list<client>::iterator;
  void accept_clients(clock::time_point now);
  void make_room(clock::time_point now);
  enum class standing : std::uint8_t { idle, asks_more, stays };  // in the order in which they give their places
  [[nodiscard]] standing standing_of(client const& one, clock::time_point now) const;
  // end() if all clients stay.
  [[nodiscard]] client_place first_to_go(clock::time_point now);
  // Sends at once: the message is lost if it does not fit into the socket, which is new or empty.
  void tell(client const& one, std::string_view why) const;
  enum class turn : std::uint8_t { others, its };  // the client that is worked for
  // False: the client has left, or must leave.
  [[nodiscard]] bool serve(client& one, clock::time_point now, turn& whose);
  [[nodiscard]] bool read(client& one, clock::time_point now);
  [[nodiscard]] bool write(client& one, clock::time_point now);
  void begin(client& one);
  void refuse(client& one, std::string_view why);

  std::string path_;
  handler begins_;
  refuser refusal_;
  line_server_limits limits_;
  owned_fd listening_;
  std::list<client> clients_;
  clock::time_point rests_until_{};
};

}  // namespace packetwarp
