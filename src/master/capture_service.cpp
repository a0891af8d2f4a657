// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "master/capture_service.h"

#include <chrono>

#include "base/error.h"
#include "base/sleep.h"

namespace packetwarp {
namespace {

// The time that a file's reader has to take the rest of it.
constexpr std::chrono::seconds patience{10};
constexpr std::chrono::seconds patience_at_end{2};

void fill_in(capture_file& file, capture_selection const& wanted, data_plane const& plane) {
  file.ports.resize(plane.ports().size());
  for (std::size_t i = 0; i < file.ports.size(); ++i) {
    auto const& port = plane.ports()[i];
    auto& said = file.ports[i];
    said.name = port.facts().name;
    said.mac = port.facts().mac;
    said.bits_per_second = std::uint64_t{port.link_mbps()} * 1000000;
    said.snap = wanted.snap;
  }
}

}  // namespace

capture_reach capture_reach_of(plan const& planned) {
  if (!planned.payload_pool.name.empty()) return capture_reach::first_segment;
  if (planned.pool.gpu < 0) return capture_reach::whole_packet;
  throw usage_error(
      "capture: packets lie in GPU memory, where the CPU cannot read them; run with -m host, or --split to have their "
      "headers");
}

void capture_service::begin(capture_selection wanted, capture_file file, std::unique_ptr<capture_output> to) {
  if (stage_ != stage::idle)
    throw failure("capture: another one is under way; end that first, or ask again in a moment if it has just ended");
  wanted.reach = capture_reach_of(plane_.planned());
  fill_in(file, wanted, plane_);
  session_.emplace(std::move(wanted), names(), std::move(file), std::move(to));
  stage_ = stage::preparing;
}

drop_reason_names capture_service::names() const {
  drop_reason_names found{};
  // All pipelines run the same function.
  if (plane_.pipelines().empty()) return found;
  for (std::size_t n = 0; n < found.size(); ++n) {
    found[n] = plane_.pipelines().front().name_of(static_cast<drop_reason>(n));
  }
  return found;
}

void capture_service::turn_off() {
  plane_.captures().active.store(nullptr, std::memory_order_release);
  grace_.begin();
  stage_ = stage::settling;
}

void capture_service::poll(cycles now) {
  switch (stage_) {
    case stage::idle:
      return;
    case stage::preparing:
      if (!session_->writer.is_ready()) return;
      plane_.captures().active.store(&session_->packets, std::memory_order_release);
      stage_ = stage::on;
      return;
    case stage::on:
      if (session_->writer.wants_end()) turn_off();
      return;
    case stage::settling:
      if (!grace_.is_over()) return;
      session_->writer.finish();
      closing_since_ = now;
      stage_ = stage::closing;
      return;
    case stage::closing:
      if (now - closing_since_ >= to_cycles(patience)) session_->writer.give_up();
      if (!session_->writer.has_ended()) return;
      session_.reset();
      stage_ = stage::idle;
      return;
  }
}

void capture_service::finish() {
  plane_.captures().active.store(nullptr, std::memory_order_release);
  if (session_) {
    session_->writer.finish();
    auto const until = std::chrono::steady_clock::now() + patience_at_end;
    while (!session_->writer.has_ended() && std::chrono::steady_clock::now() < until) {
      sleep_for(std::chrono::milliseconds{1});
    }
    session_.reset();
  }
  stage_ = stage::idle;
}

}  // namespace packetwarp
