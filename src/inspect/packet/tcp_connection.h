// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "wire/tcp.h"

namespace packetwarp::inspect {

// A SYN alone: it asks for a connection (RFC 9293, 3.5). A reset with SYN is a reset.
[[nodiscard]] HOST_DEVICE constexpr bool asks_for_connection(unsigned flags) noexcept {
  using namespace wire;
  return (flags & (tcp_flag::syn | tcp_flag::ack | tcp_flag::rst)) == tcp_flag::syn;
}
// A SYN that answers one.
[[nodiscard]] HOST_DEVICE constexpr bool answers_connection(unsigned flags) noexcept {
  using namespace wire;
  return (flags & (tcp_flag::syn | tcp_flag::ack | tcp_flag::rst)) == (tcp_flag::syn | tcp_flag::ack);
}
// A segment of a connection that has begun: a receiver takes data with no other one (RFC 9293, 3.10.7.4).
[[nodiscard]] HOST_DEVICE constexpr bool goes_on_with_connection(unsigned flags) noexcept {
  using namespace wire;
  return (flags & (tcp_flag::syn | tcp_flag::ack | tcp_flag::rst)) == tcp_flag::ack;
}

// closed: a side has ended the connection, or says so.
enum class tcp_stage : std::uint8_t { none, syn, syn_ack, established, closed };

// The last SYN that has no answer, and whether its sender has gone on with the connection since.
enum class syn_state : std::uint8_t { none, of_first, of_second, of_first_gone_on, of_second_gone_on };

// How an answer to a SYN changes the connection.
enum class syn_answer : std::uint8_t {
  of_connection,
  of_another,              // another connection begins
  of_another_unless_known  // the same, unless it says the numbers with which this one has begun
};

// A connection of TCP, as its segments tell. A client may forge a reset or a SYN that the server does not heed, so
// these alone begin no other connection: the server's answer to the SYN does.
struct tcp_connection {
  tcp_stage stage;
  syn_state asked;
  std::uint32_t client;  // direction from the client, 0 or 1

  // A flow begins with a segment.
  [[nodiscard]] HOST_DEVICE static constexpr tcp_connection of_first(unsigned flags, std::uint32_t direction) noexcept {
    auto const stage = asks_for_connection(flags) ? tcp_stage::syn : tcp_stage::none;
    return {.stage = stage, .asked = syn_state::none, .client = direction};
  }
  // Another connection begins, as far as answer_of() knows; this direction has answered. The client of a connection
  // that may be the same has sent its part of the handshake.
  [[nodiscard]] HOST_DEVICE static constexpr tcp_connection of_answer(syn_answer answer,
                                                                      std::uint32_t direction) noexcept {
    auto const stage = answer == syn_answer::of_another ? tcp_stage::syn : tcp_stage::established;
    return {.stage = stage, .asked = asked_by(1 - direction), .client = 1 - direction};
  }

  [[nodiscard]] HOST_DEVICE constexpr syn_answer answer_of(unsigned flags, std::uint32_t direction) const noexcept {
    bool const is_in_handshake = stage == tcp_stage::syn || stage == tcp_stage::syn_ack;
    if (!answers_connection(flags) || (is_in_handshake && client != direction)) return syn_answer::of_connection;
    if (asked == asked_by(1 - direction)) return syn_answer::of_another;
    return asked == gone_on(1 - direction) ? syn_answer::of_another_unless_known : syn_answer::of_connection;
  }
  // Whether the segment asks for another connection after this one has ended, as far as one can tell.
  [[nodiscard]] HOST_DEVICE constexpr bool is_asked_for_another(unsigned flags) const noexcept {
    return stage == tcp_stage::closed && asks_for_connection(flags);
  }

  HOST_DEVICE constexpr void follow(unsigned flags, std::uint32_t direction) noexcept {
    using namespace wire;
    bool const is_from_client = direction == client;
    bool const is_answer = answers_connection(flags);
    bool const goes_on = goes_on_with_connection(flags);
    if (asks_for_connection(flags)) {
      asked = asked_by(direction);
    } else if (goes_on && asked == asked_by(direction)) {
      asked = gone_on(direction);
    } else if (is_answer && (asked == asked_by(1 - direction) || asked == gone_on(1 - direction))) {
      asked = syn_state::none;
    }
    if ((flags & (tcp_flag::rst | tcp_flag::fin)) != 0) {
      stage = tcp_stage::closed;
    } else if (stage == tcp_stage::syn && is_answer && !is_from_client) {
      stage = tcp_stage::syn_ack;
    } else if (stage == tcp_stage::syn_ack && goes_on && is_from_client) {
      stage = tcp_stage::established;
    }
  }

 private:
  [[nodiscard]] HOST_DEVICE static constexpr syn_state asked_by(std::uint32_t direction) noexcept {
    return direction == 0 ? syn_state::of_first : syn_state::of_second;
  }
  [[nodiscard]] HOST_DEVICE static constexpr syn_state gone_on(std::uint32_t direction) noexcept {
    return direction == 0 ? syn_state::of_first_gone_on : syn_state::of_second_gone_on;
  }
};

}  // namespace packetwarp::inspect
