// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "burst/punt_class.h"
#include "burst/verdict.h"
#include "telemetry/counter.h"
#include "telemetry/histogram.h"

namespace packetwarp {

// The counters of a pipeline. Each struct has one writer and lines of its own; any thread may read.

// Written by the job that polls the port: the RX job, or the isolated receiver.
struct alignas(64) arrival_counters {
  telemetry::counter packets;
  telemetry::counter bytes;       // without FCS
  telemetry::counter first_seen;  // cycles, of the first and the last poll that found packets
  telemetry::counter last_seen;
  telemetry::counter returned;  // packets that the control plane has put back; not among the above
  telemetry::counter returned_bytes;
  telemetry::counter steered;  // of the above: handed to the kernel interface by their destination
  telemetry::counter steered_bytes;
  telemetry::counter kernel_full;    // for the kernel interface, but it had no room
  telemetry::counter isolated_full;  // not for the kernel interface, but the isolated ring had no room
  telemetry::counter lost_bytes;     // of the packets in kernel_full and isolated_full

  // Received packets that no pipeline gets.
  [[nodiscard]] std::uint64_t kept() const { return steered.read() + kernel_full.read() + isolated_full.read(); }
};

// Written by the RX job.
struct alignas(64) receive_counters {
  telemetry::counter bursts;     // published
  telemetry::counter handed_in;  // packets that pipelines of other GPUs have handed over
  telemetry::counter ring_full;  // polls skipped because every slot was in use
};

// The reason why a packet whose verdict asks for a copy has none.
enum class mirror_loss : std::uint8_t {
  tx_full,           // the mirror port took no more, or is gone
  tx_chained,        // in more mbufs than the mirror port can send as one packet
  tx_too_long,       // longer than the mirror port's MTU
  no_buffer,         // the packet pool was empty
  comes_again,       // the control plane or another GPU's pipeline has put the packet back in front of the function
  from_mirror_port,  // received from the mirror port itself
  shutdown           // still in flight when the user asked twice to stop
};
inline constexpr std::array<std::string_view, 7> mirror_loss_names{
    "tx_full", "tx_chained", "tx_too_long", "no_buffer", "comes_again", "from_mirror_port", "shutdown"};

// Written by the TX job.
struct alignas(64) departure_counters {
  telemetry::counter packets;
  telemetry::counter punted;  // handed to the control plane, each time, and to the kernel interface
  telemetry::counter punted_bytes;
  telemetry::counter handed_over;                          // to pipelines of other GPUs; not among the other counters
  telemetry::counter to_kernel;                            // of the punted: straight to the kernel interface
  std::array<telemetry::counter, punt_classes> punt_full;  // of the dropped: the desk had no room
  std::array<telemetry::counter, punt_classes> punt_limited;  // of the dropped: beyond the limit of port and reason
  telemetry::counter control_sent;                            // packets from the control plane; not among the above
  telemetry::counter control_lost;                            // packets from the control plane that found no room
  telemetry::counter mirrored;                                // copies that left; not among the above
  std::array<telemetry::counter, mirror_loss_names.size()> not_mirrored;  // packets without the copy, by reason
  telemetry::counter pushed_bytes;  // that functions have put in front of packets, whatever became of them
  telemetry::counter popped_bytes;  // that functions have removed from there
  telemetry::counter dropped_packets;
  telemetry::counter dropped_bytes;
  std::array<telemetry::counter, max_drop_reasons> dropped;
  telemetry::histogram latency;  // cycles from the receipt of a burst's first packet to its verdicts, per packet

  // Packets that have left the pipeline, in any way.
  [[nodiscard]] std::uint64_t gone() const {
    return packets.read() + punted.read() + dropped_packets.read() + handed_over.read();
  }
};

struct pipeline_counters {
  arrival_counters arrivals;
  receive_counters received;
  receive_counters isolated;  // the isolated receiver's ring, if the pipeline has one
  departure_counters departures;

  // Packets that came in and have not left yet. Departures are read first, so that the result is never negative.
  [[nodiscard]] std::uint64_t in_flight() const {
    auto const gone = departures.gone() + arrivals.kept();
    auto const come = arrivals.packets.read() + arrivals.returned.read() + received.handed_in.read();
    return come > gone ? come - gone : 0;
  }
};

}  // namespace packetwarp
