// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "joint/epoch_stamp.h"

namespace packetwarp::test {

// A joint stage that follows epochs. It writes into a packet's destination address the marks of the epochs that
// gather(), work() and the decision on the packet were given.
struct epoch_mark {
  struct ref {
    egress_index egress;
  };
  struct held {
    epoch_number epoch;
    egress_index egress;
  };
  struct room {
    std::uint16_t gathered[joint_packets];
    std::uint16_t worked[joint_packets];
  };
  struct annotation {
    std::uint16_t gathered;
    std::uint16_t worked;
  };
  static constexpr std::string_view name = "epoch_mark";
  static constexpr std::array<std::string_view, 1> drop_names{"runt"};
  static constexpr bool follows_from_header = false;
  static constexpr bool follows_epochs = true;

  [[nodiscard]] HOST_DEVICE static bool stays_near(packet_view) { return true; }
  [[nodiscard]] HOST_DEVICE static held hold(ref const& tables, epoch_number epoch) { return {epoch, tables.egress}; }

  HOST_DEVICE static void gather(packet_view, unsigned n, held const& in_force, room& shared) {
    shared.gathered[n] = mark_of(in_force.epoch);
  }
  HOST_DEVICE static void work(auto const& group, held const& in_force, room& shared) {
    for (auto n = group.lane(); n < group.packets(); n += group.lanes()) shared.worked[n] = mark_of(in_force.epoch);
    group.sync();
  }
  [[nodiscard]] HOST_DEVICE static annotation annotation_of(unsigned n, room const& shared) {
    return {shared.gathered[n], shared.worked[n]};
  }

  // As a stage of a chain.
  [[nodiscard]] HOST_DEVICE static bool passes(packet_view, held const&, annotation) { return false; }
  HOST_DEVICE static void assume_passes(packet_view) {}
  [[nodiscard]] HOST_DEVICE static verdict ingress(packet_view packet, held const& in_force, annotation found) {
    if (packet.contiguous >= marked_bytes) write_marks(packet, in_force, found);
    return next_hook();
  }

  // As a function.
  [[nodiscard]] HOST_DEVICE static verdict process(packet_view packet, held const& in_force, annotation found) {
    if (packet.contiguous < marked_bytes) return verdict::drop(function_drop(0));
    write_marks(packet, in_force, found);
    return verdict::forward(in_force.egress);
  }

 private:
  HOST_DEVICE static void write_marks(packet_view packet, held const& in_force, annotation found) {
    write_mark(packet, 0, found.gathered);
    write_mark(packet, 2, found.worked);
    write_mark(packet, 4, mark_of(in_force.epoch));
  }
};
static_assert(packet_function<epoch_mark> && has_joint_ingress<epoch_mark> && !works_alone<epoch_mark>);

// The same with its work by a CUDA kernel of its own (epoch_programs.cu).
struct epoch_mark_apart : epoch_mark {
  static constexpr std::string_view name = "epoch_mark_apart";
  static constexpr bool has_own_kernels = true;
};
static_assert(packet_function<epoch_mark_apart>);

}  // namespace packetwarp::test
