// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "capture/capture_writer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/sleep.h"
#include "base/thread/background.h"

namespace packetwarp {
namespace {

constexpr std::size_t packets_at_once = 256;
constexpr std::size_t blocks_at_once = std::size_t{256} << 10;  // bytes
constexpr std::chrono::milliseconds pause{1};
// A worker may lose its CPU between looking at the clock and putting its copy into the buffer.
constexpr std::chrono::seconds longest_out_of_order{10};

[[nodiscard]] pcapng::direction way_of(capture_stage stage) {
  return stage == capture_stage::tx ? pcapng::direction::outbound : pcapng::direction::inbound;
}

}  // namespace

capture_writer::capture_writer(packet_capture& from, capture_file file, std::unique_ptr<capture_output> to)
    : from_{from},
      file_{std::move(file)},
      to_{std::move(to)},
      written_(from.ports(), 0),
      clock_{read_clocks(), cycles_per_second()},
      thread_{[this] { run(); }} {}

capture_writer::~capture_writer() {
  finish();
  give_up();
}

void capture_writer::run() {
  yield_to_forwarding();
  from_.copies().fault_in();
  begin_clock();
  begin_file();
  is_ready_.store(true, std::memory_order_release);
  for (;;) {
    // The flag is read before the buffer, so that packets put in before the end are found.
    bool const ends = finishing_.load(std::memory_order_acquire);
    look_at_clock();
    auto const looked = now_cycles();
    auto const n = write_some();
    if (n == 0) latest_ = looked;
    if (is_cut_off_ || packets_ == file_.packets || !to_->is_wanted())
      wants_end_.store(true, std::memory_order_release);
    if (ends && (n == 0 || gives_up_.load(std::memory_order_acquire))) break;
    if (n == 0) sleep_for(pause);
  }
  end_file();
  // The owner, which is the master, would wait: the kernel takes 20 ms to take back 512 MiB. The reader may begin
  // another capture once it sees the end of this one.
  from_.copies().release();
  is_closing_.store(true, std::memory_order_release);
  to_.reset();
  has_ended_.store(true, std::memory_order_release);
}

// No packet is there yet.
void capture_writer::begin_clock() {
  while (!clock_.is_due(now_cycles())) sleep_for(pause);
  auto const now = read_clocks();
  clock_.begin(now);
  latest_ = now.at;
}

void capture_writer::look_at_clock() {
  if (!clock_.is_due(now_cycles())) return;
  clock_.take(read_clocks());
  clock_.forget_before(latest_ - std::min(latest_, to_cycles(longest_out_of_order)));
}

void capture_writer::begin_file() {
  pcapng::append_section(blocks_, "packetwarp " PACKETWARP_VERSION);
  for (auto const& one : file_.ports) pcapng::append_interface(blocks_, one);
  flush();
}

std::size_t capture_writer::write_some() {
  auto const n = from_.copies().take(packets_at_once, [this](captured_packet const& about, auto const& bytes) {
    if (packets_ < file_.packets && !is_cut_off_) add(about, bytes);
    if (blocks_.size() >= blocks_at_once) flush();
  });
  if (!blocks_.empty()) flush();
  return n;
}

void capture_writer::add(captured_packet const& about, capture_buffer::reader bytes) {
  comment_.assign(to_string(about.where.stage));
  if (!about.where.why.empty()) comment_.append(": ").append(about.where.why);
  pcapng::packet_block block{blocks_,
                             {.interface = about.where.port,
                              .time = clock_.time_of(about.when),
                              .length = about.length,
                              .captured = about.captured,
                              .way = way_of(about.where.stage),
                              .comment = comment_}};
  for (auto some = bytes.next(); !some.empty(); some = bytes.next()) block.append_bytes(some);
  block.end();
  latest_ = std::max(latest_, about.when);
  ++packets_;
  ++written_[about.where.port];
}

void capture_writer::flush() {
  // The output may stand still for long: the clock gets its pairs all the same.
  auto const goes_on = [this] {
    look_at_clock();
    return !gives_up_.load(std::memory_order_acquire);
  };
  if (!is_cut_off_ && !to_->write(blocks_, goes_on)) is_cut_off_ = true;
  blocks_.clear();
}

void capture_writer::end_file() {
  for (std::size_t port = 0; port < from_.ports(); ++port) {
    auto counts = from_.counts(port);
    counts.written = written_[port];
    pcapng::append_statistics(blocks_, static_cast<std::uint32_t>(port), clock_.time_of(now_cycles()), counts);
  }
  flush();
}

}  // namespace packetwarp
