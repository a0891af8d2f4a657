// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "rdma/mlx5_format.h"
#include "rdma/region_table.h"

namespace packetwarp::rdma {

// A WQE that an engine has checked: the bytes to move, or the error.
struct checked_write {
  std::byte* to{};
  std::byte const* from{};  // of an inline payload: within the WQE that was checked
  std::uint32_t bytes{};
  work_status status{work_status::done};
  bool wants_completion{};
  bool is_inline{};
};

namespace detail {

[[nodiscard]] HOST_DEVICE inline checked_write failed(work_status status) {
  checked_write made;
  made.status = status;
  return made;
}

}  // namespace detail

// Checks the form of the WQE at a position of a queue, and the local memory. `to` is the remote address as it was
// given.
[[nodiscard]] HOST_DEVICE inline checked_write check_local(work_queue_entry const& entry, std::uint64_t position,
                                                           std::uint32_t queue_number, region_table_ref regions) {
  entry_view const view{entry};
  if (view.opcode() != opcode_rdma_write || view.modifier() != 0 ||
      view.index() != static_cast<std::uint16_t>(position) || view.queue_number() != queue_number)
    return detail::failed(work_status::local_operation_error);
  checked_write made;
  made.wants_completion = view.wants_completion();
  made.to = reinterpret_cast<std::byte*>(view.remote_address());
  if (view.segments() == 2) return made;  // a write of 0 bytes
  made.bytes = view.bytes();
  made.is_inline = view.is_inline();
  if (made.is_inline) {
    if (made.bytes == 0 || made.bytes > most_inline) return detail::failed(work_status::local_length_error);
    if (view.segments() != 2 + (made.bytes + 4 + 15) / 16) return detail::failed(work_status::local_operation_error);
    made.from = reinterpret_cast<std::byte const*>(&entry) + inline_at;
  } else {
    if (view.segments() != 3) return detail::failed(work_status::local_operation_error);
    if (made.bytes == 0) return detail::failed(work_status::local_length_error);  // 2^31 bytes, to a ConnectX
    if (!regions.allows(view.lkey(), view.local_address(), made.bytes, access::local_read))
      return detail::failed(work_status::local_protection_error);
    made.from = reinterpret_cast<std::byte const*>(view.local_address());
  }
  return made;
}

// The same, and then the remote memory, of an engine that writes it itself.
[[nodiscard]] HOST_DEVICE inline checked_write check_write(work_queue_entry const& entry, std::uint64_t position,
                                                           std::uint32_t queue_number, region_table_ref regions) {
  auto const made = check_local(entry, position, queue_number, regions);
  if (made.status != work_status::done || made.bytes == 0) return made;
  entry_view const view{entry};
  if (!regions.allows(view.rkey(), view.remote_address(), made.bytes, access::remote_write))
    return detail::failed(work_status::remote_access_error);
  return made;
}

// Memory that a peer has registered, and this process has mapped: the region as the peer knows it, and its place here.
struct mapped_region {
  region known{};
  std::byte* here{};
};

// The same of an engine whose remote memory is a peer's: a remote address is the peer's, and `to` is its place here.
[[nodiscard]] inline checked_write check_write(work_queue_entry const& entry, std::uint64_t position,
                                               std::uint32_t queue_number, region_table_ref regions,
                                               mapped_region const& peer) {
  auto made = check_local(entry, position, queue_number, regions);
  if (made.status != work_status::done || made.bytes == 0) return made;
  entry_view const view{entry};
  if (!peer.known.allows(view.rkey(), view.remote_address(), made.bytes, access::remote_write))
    return detail::failed(work_status::remote_access_error);
  made.to = peer.here + (view.remote_address() - peer.known.address);
  return made;
}

// Whether a payload is stored in one store, as post_signal promises.
[[nodiscard]] HOST_DEVICE inline bool is_one_word(checked_write const& write) {
  return write.is_inline && write.bytes == sizeof(std::uint64_t) &&
         reinterpret_cast<std::uintptr_t>(write.to) % sizeof(std::uint64_t) == 0;
}

}  // namespace packetwarp::rdma
