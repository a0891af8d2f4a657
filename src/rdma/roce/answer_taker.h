// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rdma/roce/packet.h"

namespace packetwarp::rdma::roce {

// A requester that is elsewhere, on a GPU: the connection gives it the peer's acknowledgements, positive and negative.
class answer_taker {
 public:
  virtual void take(packet_fields const& answer) = 0;

 protected:
  answer_taker() = default;
  answer_taker(answer_taker const&) = default;
  answer_taker& operator=(answer_taker const&) = default;
  ~answer_taker() = default;
};

}  // namespace packetwarp::rdma::roce
