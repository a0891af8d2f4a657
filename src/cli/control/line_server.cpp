// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/control/line_server.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace packetwarp {
namespace {

// The most bytes of one read.
constexpr std::size_t read_at_once = 16384;
constexpr int accepted_at_once = 16;

[[nodiscard]] bool may_come_later(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

line_server::line_server(std::string path, handler begins, refuser refusal, line_server_limits limits)
    : path_{std::move(path)},
      begins_{std::move(begins)},
      refusal_{std::move(refusal)},
      limits_{limits},
      listening_{listen_at(path_)} {}

line_server::~line_server() { (void)::unlink(path_.c_str()); }

void line_server::poll(clock::time_point now) {
  accept_clients(now);
  auto worked = clients_.end();
  bool const rests = limits_.rest != 0 && clock::now() < rests_until_;
  for (auto at = clients_.begin(); at != clients_.end();) {
    auto const here = at++;
    auto const may_work = worked == clients_.end() && !rests;
    auto whose = may_work ? turn::its : turn::others;
    if (!serve(*here, now, whose)) {
      clients_.erase(here);
    } else if (may_work && whose == turn::others) {
      worked = here;
    }
  }
  // The client that was worked for moves to the end of the list: the others come first in the next poll.
  if (worked != clients_.end()) clients_.splice(clients_.end(), clients_, worked);
}

void line_server::accept_clients(clock::time_point now) {
  for (int n = 0; n < accepted_at_once; ++n) {
    owned_fd connection{::accept4(listening_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    if (!connection) {
      // Without a free descriptor the newcomer would wait for as long as other users hold all of them.
      if (errno == EMFILE || errno == ENFILE) make_room(now);
      return;
    }
    client one;
    one.connection = std::move(connection);
    one.since = now;
    // The client's bytes are read at once: its request counts when the next newcomer needs a place; a client that has
    // left needs none.
    if (!read(one, now)) continue;
    if (clients_.size() >= limits_.clients) make_room(now);
    if (clients_.size() < limits_.clients) {
      clients_.push_back(std::move(one));
    } else {
      tell(one, fmt::format("{} clients are being answered already; connect again", limits_.clients));
    }
  }
}

line_server::standing line_server::standing_of(client const& one, clock::time_point now) const {
  if (one.work) return standing::stays;
  if (!one.out.empty()) {
    bool const is_taken = now - one.since < limits_.silence && (!one.answered || now - *one.answered < limits_.answer);
    return is_taken ? standing::stays : standing::idle;
  }
  if (!one.has_asked) return standing::idle;
  return one.answered ? standing::asks_more : standing::stays;
}

line_server::client_place line_server::first_to_go(clock::time_point now) {
  auto found = clients_.end();
  auto its = standing::stays;
  for (auto at = clients_.begin(); at != clients_.end(); ++at) {
    auto const here = standing_of(*at, now);
    if (here < its || (here == its && here != standing::stays && at->since < found->since)) {
      found = at;
      its = here;
    }
  }
  return found;
}

void line_server::make_room(clock::time_point now) {
  auto const gone = first_to_go(now);
  if (gone == clients_.end()) return;
  // Within an answer the line would be taken for a part of it.
  if (gone->out.empty()) {
    tell(*gone, "another client has come, and this one has been idle for longest; connect again");
  }
  clients_.erase(gone);
}

void line_server::tell(client const& one, std::string_view why) const {
  auto const line = refusal_(why, refused::place) + '\n';
  (void)::send(one.connection.get(), line.data(), line.size(), MSG_NOSIGNAL);
}

bool line_server::serve(client& one, clock::time_point now, turn& whose) {
  bool const listens = one.out.empty() && !one.work && !one.ends;
  if (listens && !read(one, now)) return false;
  if (whose == turn::its) {
    auto const began = limits_.rest != 0 ? clock::now() : clock::time_point{};
    if (listens) begin(one);
    if (one.work) {
      whose = turn::others;
      if (auto answer = one.work()) {
        one.work = nullptr;
        one.out = std::move(*answer) + '\n';
        one.answered = now;
        one.since = now;
      }
      if (auto const ended = limits_.rest != 0 ? clock::now() : began; ended != began) {
        rests_until_ = ended + limits_.rest * (ended - began);
      }
    }
  }
  if (one.work) return true;
  if (!one.out.empty() && !write(one, now)) return false;
  if (one.ends && one.out.empty()) return false;
  // The client waits for the server, and is not timed out.
  if (one.has_asked && one.out.empty()) return true;
  return now - one.since < limits_.patience;
}

bool line_server::read(client& one, clock::time_point now) {
  // A line that is too long is refused when the server takes it. The rest of it stays in the socket.
  if (!one.has_asked && one.in.size() < limits_.request) {
    std::array<char, read_at_once> some;
    auto const n = ::recv(one.connection.get(), some.data(), some.size(), 0);
    if (n == 0 || (n < 0 && !may_come_later(errno))) return false;
    if (n > 0) {
      std::string_view const got{some.data(), static_cast<std::size_t>(n)};
      one.in.append(got);
      one.has_asked = got.find('\n') != std::string_view::npos;
      one.since = now;
    }
  }
  return true;
}

void line_server::begin(client& one) {
  auto const end = one.in.find('\n');
  if (end >= limits_.request && (end != std::string::npos || one.in.size() >= limits_.request)) {
    return refuse(one, fmt::format("the request is longer than {} bytes", limits_.request));
  }
  if (end == std::string::npos) return;
  one.work = begins_(std::string_view{one.in}.substr(0, end));
  one.in.erase(0, end + 1);
  one.has_asked = one.in.find('\n') != std::string::npos;
}

void line_server::refuse(client& one, std::string_view why) {
  one.out = refusal_(why, refused::request) + '\n';
  one.ends = true;
}

bool line_server::write(client& one, clock::time_point now) {
  auto const rest = std::string_view{one.out}.substr(one.written);
  auto const n = ::send(one.connection.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
  if (n < 0) return may_come_later(errno);
  if (n > 0) {
    one.written += static_cast<std::size_t>(n);
    one.since = now;
  }
  if (one.written < one.out.size()) return true;
  one.out = {};
  one.written = 0;
  return true;
}

}  // namespace packetwarp
