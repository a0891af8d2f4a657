// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/roce/connection.h"

#include <algorithm>
#include <cstring>

#include "rdma/engine/write_check.h"

namespace packetwarp::rdma::roce {
namespace {

// WQEs that are fetched before they are read. A trip to memory takes about as long as so many WQEs.
constexpr std::uint64_t entries_ahead = 8;

// Sets the write of a WQE, or its error.
void set_write(outgoing_write& into, work_queue_entry const& entry, std::uint64_t position, std::uint32_t number,
               region_table_ref regions) {
  auto const checked = check_local(entry, position, number, regions);
  into.position = position;
  into.from = checked.is_inline ? nullptr : checked.from;
  if (checked.is_inline) std::memcpy(into.within.data(), checked.from, checked.bytes);
  into.bytes = checked.bytes;
  into.address = reinterpret_cast<std::uint64_t>(checked.to);
  into.rkey = entry_view{entry}.rkey();
  into.status = checked.status;
  into.wants_completion = checked.wants_completion;
}

// Eight aligned bytes are stored at once, after all earlier payload: a thread may wait for them (post_signal).
void write_payload(responder_verdict const& verdict, std::byte const* payload) {
  if (verdict.bytes == sizeof(std::uint64_t) &&
      reinterpret_cast<std::uintptr_t>(verdict.to) % sizeof(std::uint64_t) == 0) {
    std::uint64_t value = 0;
    std::memcpy(&value, payload, sizeof value);
    detail::store_after(*reinterpret_cast<std::uint64_t*>(verdict.to), value, release_to_system);
  } else if (verdict.bytes != 0) {
    std::memcpy(verdict.to, payload, verdict.bytes);
  }
}

}  // namespace

connection::connection(connection_settings const& settings, request_source const& source)
    : settings_{settings},
      elsewhere_{source.elsewhere},
      requester_{settings.how, settings.send_psn, source.queue != nullptr ? source.queue->size : 1},
      responder_{settings.receive_psn, settings.how.mtu} {
  if (source.queue != nullptr) queue_.emplace(*source.queue, told_by::record);
}

void connection::read_queue(region_table_ref regions) {
  if (!requester_.has_room()) return;
  if (!queue_->has_entry() && queue_->look() == queue_consumer::news::overrun && !requester_.is_in_error()) {
    ++queue_->counters().queue_overruns;
    requester_.next_write() = {.position = queue_->skip(), .status = work_status::local_operation_error};
    requester_.post();
  }
  while (queue_->has_entry() && requester_.wants_write()) {
    auto const position = queue_->position();
    queue_->look_ahead(entries_ahead);
    set_write(requester_.next_write(), queue_->take(), position, queue_->queue_number(), regions);
    requester_.post();
  }
}

void connection::write_completions() {
  while (auto const finished = requester_.next_finished()) {
    if (finished->status == work_status::done) ++queue_->counters().writes;
    if (!finished->wants_completion || lost_completions_) continue;
    lost_completions_ = !queue_->complete(finished->position, finished->status);
    if (lost_completions_) requester_.fail(work_status::local_operation_error);
  }
}

void connection::serve(region_table_ref regions, std::uint64_t now) {
  if (!queue_) return;
  requester_.tick(now);
  write_completions();
  read_queue(regions);
  write_completions();
}

void connection::take(parsed_frame const& frame, region_table_ref regions, std::uint64_t now) {
  if (frame.fields.code == opcode::acknowledge) {
    elsewhere_ != nullptr ? elsewhere_->take(frame.fields) : requester_.take(frame.fields, now);
    return;
  }
  auto const verdict = responder_.take(frame.fields, frame.payload_bytes, regions);
  write_payload(verdict, frame.payload);
  if (verdict.answer == answer_kind::none) return;
  answer(verdict);
  responder_.note(*answer_);
}

void connection::answer(responder_verdict const& verdict) {
  answer_ = answer_ ? later_answer(*answer_, verdict) : verdict;
}

bool connection::next(std::uint64_t now, frame_plan& into) {
  if (answer_) {
    into.fields = {.code = opcode::acknowledge,
                   .psn = answer_->psn,
                   .syndrome = answer_->syndrome,
                   .message_number = answer_->message_number};
    into.payload = nullptr;
    into.bytes = 0;
    auto& counter = answer_->answer == answer_kind::acknowledge ? answers_.acknowledgements
                    : answer_->syndrome == nak_sequence         ? answers_.sequence_naks
                                                                : answers_.other_naks;
    ++counter;
    answer_.reset();
  } else if (requester_.next(now, into)) {
    if (queue_) queue_->counters().bytes += into.bytes;
  } else {
    return false;
  }
  into.path = settings_.path;
  into.fields.queue_number = settings_.remote_number;
  return true;
}

}  // namespace packetwarp::rdma::roce
