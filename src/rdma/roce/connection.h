// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "rdma/engine/queue_consumer.h"
#include "rdma/region_table.h"
#include "rdma/roce/answer_taker.h"
#include "rdma/roce/frame.h"
#include "rdma/roce/frame_plan.h"
#include "rdma/roce/reliability.h"
#include "rdma/roce/requester.h"
#include "rdma/roce/responder.h"

namespace packetwarp::rdma::roce {

// The responder of a connection: here, or elsewhere, on a GPU.
enum class responder_place : std::uint8_t { here, elsewhere };

struct connection_settings {
  std::uint32_t local_number{};   // QPN here
  std::uint32_t remote_number{};  // the peer's QPN
  std::uint32_t send_psn{};       // of the first packet in either direction
  std::uint32_t receive_psn{};
  frame_path path{};
  reliability how{};
  responder_place responds{responder_place::here};
};

// The answers that a connection has sent, and the frames that were not for it.
struct answer_counters {
  std::uint64_t acknowledgements{};
  std::uint64_t sequence_naks{};
  std::uint64_t other_naks{};
};

// The sender of a connection's requests: a requester here, which reads a queue, or one elsewhere. Without either the
// connection only responds. The queue's memory and the taker outlive the connection.
struct request_source {
  queue_parts const* queue{};
  answer_taker* elsewhere{};
};

// A reliable connection: a send queue's requester, and a responder that writes into registered memory. For one thread;
// times are in ns.
class connection {
 public:
  connection(connection_settings const& settings, request_source const& source);

  // Reads the send queue, looks for a time-out, and writes CQEs.
  void serve(region_table_ref regions, std::uint64_t now);
  // A frame for this connection's queue number: writes its payload, or takes its acknowledgement. Requests are for a
  // responder here.
  void take(parsed_frame const& frame, region_table_ref regions, std::uint64_t now);
  // An answer to requests, to be sent: of this connection's responder, or of one elsewhere.
  void answer(responder_verdict const& verdict);
  // Sets the next frame to send, if there is one now.
  [[nodiscard]] bool next(std::uint64_t now, frame_plan& into);

  // Whether frames with this operation are for take().
  [[nodiscard]] bool takes(opcode code) const {
    return code == opcode::acknowledge || settings_.responds == responder_place::here;
  }
  [[nodiscard]] bool is_from_peer(parsed_frame const& frame) const {
    return frame.source == settings_.path.destination && frame.destination == settings_.path.source;
  }
  [[nodiscard]] connection_settings const& settings() const { return settings_; }
  // Whether all writes that were committed have ended.
  [[nodiscard]] bool is_idle() const { return requester_.is_idle() && (!queue_ || !queue_->has_entry()); }
  [[nodiscard]] requester_counters const& sent() const { return requester_.counters(); }
  [[nodiscard]] responder_counters const& received() const { return responder_.counters(); }
  [[nodiscard]] answer_counters const& answers() const { return answers_; }
  [[nodiscard]] engine_counters queue() const { return queue_ ? queue_->counters() : engine_counters{}; }

 private:
  void read_queue(region_table_ref regions);
  void write_completions();

  connection_settings settings_;
  std::optional<queue_consumer> queue_;
  answer_taker* elsewhere_;
  requester requester_;
  responder responder_;
  std::optional<responder_verdict> answer_;  // not yet sent
  bool lost_completions_{};
  answer_counters answers_;
};

}  // namespace packetwarp::rdma::roce
