// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "memory/eal_session.h"
#include "rdma/network/network_test.h"
#include "rdma/verbs/verbs_settings.h"
#include "wire/address.h"

namespace packetwarp {

// host and gpu: an engine within this process. store: the posting threads. shm: a peer process on this machine. roce,
// verbs and mlx5: a peer across a network.
enum class rdma_transport : std::uint8_t { host, gpu, store, shm, roce, verbs, mlx5 };
[[nodiscard]] std::string_view to_string(rdma_transport transport);
// Whether the other end is another process.
[[nodiscard]] constexpr bool has_peer(rdma_transport transport) {
  return transport == rdma_transport::shm || transport == rdma_transport::roce || transport == rdma_transport::verbs ||
         transport == rdma_transport::mlx5;
}

// Options that rdma-bw and rdma-lat have for a peer.
struct network_options {
  rdma::peer_settings peer{};
  rdma::endpoint_settings end{};
  rdma::verbs_settings verbs{};
  std::optional<wire::ipv4_address> address{};
};

// Their texts, as CLI11 reads them.
struct network_texts {
  std::optional<std::string> server, address, port, mtu, timeout, retries, device, gid;
  void declare(CLI::App& app);
  // Throws usage_error.
  [[nodiscard]] network_options read() const;
  // Whether one of them was given.
  [[nodiscard]] bool any() const;
  // Throws usage_error for an option that has no meaning with a peer's transport.
  void refuse_for(rdma_transport transport) const;
};

// The texts of options that name the poster of writes, and a GPU.
struct poster_texts {
  std::optional<std::string> initiator, payload, frames, gpu;
  void declare(CLI::App& app);
  // Throws usage_error.
  void read(rdma::endpoint_settings& into) const;
  // Throws usage_error if a GPU is named, and none has a part in it.
  void refuse_for(rdma_transport transport, rdma::endpoint_settings const& end) const;
};
// Throws usage_error if a GPU posts, or has the payload, and the transport has no place for that.
void refuse_poster(rdma::endpoint_settings const& end, rdma_transport transport);
// Throws usage_error if a GPU has frames, and the transport has none for it.
void refuse_frames(rdma::endpoint_settings const& end, rdma_transport transport);

// The text of the option that names the GPU with the target.
struct target_text {
  std::optional<std::string> target_gpu;
  void declare(CLI::App& app);
  // None if it was not given. Throws usage_error, also for a transport that writes to no GPU.
  [[nodiscard]] std::optional<int> read(rdma_transport transport) const;
};

// Whether a GPU has the bytes that are written, here or at the peer.
[[nodiscard]] bool has_bytes_on_gpu(rdma::endpoint_settings const& end);
// Whether a GPU posts, or has bytes.
[[nodiscard]] bool needs_gpu(rdma::endpoint_settings const& end);

// Whether a call asks for engine `roce`, which is rdma-lat's transport without --transport, so that words before "--"
// are the EAL's.
[[nodiscard]] bool asks_for_a_port(invocation const& call);

// An end in shared memory, on the first port that the EAL's words name, or on a verbs device; the latter may be a
// ConnectX whose queues are packetwarp's own. The EAL's session outlives the end.
struct network_end {
  std::unique_ptr<eal_session> eal;
  std::unique_ptr<rdma::endpoint> end;
};
// Throws usage_error, failure.
[[nodiscard]] network_end open_end(invocation const& call, rdma_transport transport, network_options const& options);

// A line for standard error about a transport that has never met its device; empty: it has.
[[nodiscard]] std::string_view warning_of(rdma_transport transport);

// "doorbell: gpu": a line for each of an end's properties, and nothing without any.
[[nodiscard]] std::string lines_of(std::vector<std::pair<std::string, std::string>> const& properties);

// ", MTU 1024"; nothing for 0, without packets.
[[nodiscard]] std::string mtu_of(std::uint32_t mtu);

}  // namespace packetwarp
