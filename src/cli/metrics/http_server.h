// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <stop_token>
#include <string>

#include "cli/control/unix_socket.h"
#include "cli/metrics/http_message.h"
#include "cli/metrics/listen_address.h"

namespace packetwarp {

// Whether this machine has the address; its port does not matter, and may be in use.
[[nodiscard]] bool is_address_here(listen_address at);

struct http_limits {
  std::size_t connections{64};            // at a time
  std::size_t head{8192};                 // bytes of a request
  std::chrono::seconds head_patience{5};  // until the request has come
  std::chrono::seconds patience{10};      // after that, until the response is taken
  std::chrono::seconds answer{5};         // for the answers to all requests of a poll, together
};

// Serves read-only pages, one request per connection, on the one thread that calls serve(). Slow or silent clients cost
// a buffer and a descriptor until their time is over. A connection that comes when all places are taken gets the place
// of the oldest connection that has not sent a request yet, or else of the oldest.
class http_server {
 public:
  using clock = std::chrono::steady_clock;
  // until: the time until which the answer may be waited for, which is the same for all requests of a poll: clients
  // that wait for the same thing wait together. After that time an answer is given at once.
  using handler = std::function<http_response(http_request const&, clock::time_point until)>;

  // Listens from here on. answer: called on the thread of serve(), for GET and HEAD; must not throw. Throws failure
  // if the port is taken, the address is not this machine's, or the system does not allow it.
  http_server(listen_address const& at, handler answer, http_limits limits = {});
  http_server(http_server const&) = delete;
  http_server& operator=(http_server const&) = delete;

  // The address at which it listens, with the assigned port.
  [[nodiscard]] listen_address const& address() const { return address_; }
  // Serves until it is told to stop. Called once.
  void serve(std::stop_token const& stop);

 private:
  struct connection {
    owned_fd socket;
    clock::time_point until;
    std::string in{};    // of the request
    std::string out{};   // the response
    std::size_t sent{};  // of it
    enum class state : unsigned char { reading, writing, ending } now{state::reading};
  };

  void accept_all();
  // False: no connection is left to end.
  bool end_oldest();
  // Accepts a connection for which no descriptor is free, and ends it: the connection would otherwise be ready for
  // ever.
  void turn_one_away();
  // False: the connection is over.
  [[nodiscard]] bool work_on(connection& one);
  [[nodiscard]] bool read(connection& one);
  [[nodiscard]] bool write(connection& one);
  [[nodiscard]] std::string answer_to(std::string_view head) const;

  listen_address address_;
  handler answer_;
  http_limits limits_;
  owned_fd listening_;
  owned_fd wakes_;
  owned_fd spare_;  // for turn_one_away()
  std::list<connection> connections_;
  clock::time_point answered_until_{};
};

}  // namespace packetwarp
