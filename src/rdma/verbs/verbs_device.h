// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "rdma/network/endpoint.h"
#include "rdma/network/queue_key.h"
#include "rdma/verbs/verbs_calls.h"
#include "rdma/verbs/verbs_settings.h"

namespace packetwarp::rdma {

// An object of libibverbs, which is released by a function of verbs_calls.
template <class T, int (verbs_calls::*Release)(T*)>
struct verbs_releaser {
  verbs_calls* calls{};
  void operator()(T* held) const { (void)(calls->*Release)(held); }
};
template <class T, int (verbs_calls::*Release)(T*)>
using verbs_handle = std::unique_ptr<T, verbs_releaser<T, Release>>;
using device_context = verbs_handle<ibv_context, &verbs_calls::close_device>;
using protection_domain = verbs_handle<ibv_pd, &verbs_calls::dealloc_pd>;
using thread_domain = verbs_handle<ibv_td, &verbs_calls::dealloc_td>;
using memory_region = verbs_handle<ibv_mr, &verbs_calls::dereg_mr>;
using completion_queue = verbs_handle<ibv_cq, &verbs_calls::destroy_cq>;
using queue_handle = verbs_handle<ibv_qp, &verbs_calls::destroy_qp>;

// The error of a call that has failed: its name, errno's text, and the advice.
[[nodiscard]] failure call_failed(std::string_view call, std::string_view device, int error, std::string_view advice);

// An open verbs device with its port 1, a GID of that port, and a protection domain. Every function throws failure in
// one line that names the call.
class verbs_device {
 public:
  // May throw usage_error for a device that does not serve, before it is opened.
  using device_check = std::function<void(ibv_device* device, std::string const& name)>;

  // mtu: the one asked for; 0: the port's. Throws usage_error without such a device or GID.
  verbs_device(std::shared_ptr<verbs_calls> calls, verbs_settings const& on, std::uint32_t mtu,
               device_check const& check = {});

  [[nodiscard]] verbs_calls& calls() const { return *calls_; }
  [[nodiscard]] std::string const& name() const { return name_; }
  [[nodiscard]] ibv_context* context() const { return context_.get(); }
  [[nodiscard]] ibv_pd* domain() const { return domain_.get(); }
  [[nodiscard]] std::uint32_t mtu() const { return mtu_; }

  [[nodiscard]] memory_region register_memory(std::byte* at, std::size_t bytes, unsigned access) const;
  [[nodiscard]] completion_queue make_completions(std::uint32_t entries) const;
  // A queue for reliable connections, in state INIT. `of` has the domain, the completion queue, sizes and flags.
  [[nodiscard]] queue_handle make_queue(ibv_qp_init_attr_ex of) const;
  // The key of a queue, for the peer.
  [[nodiscard]] queue_key key_of(ibv_qp const& queue, std::uint32_t n, std::uint32_t rkey, std::uint64_t address) const;
  // Connects a queue to the peer's. mtu: the one that both ends have.
  void connect(ibv_qp& queue, queue_key const& own, queue_key const& peer, std::uint32_t mtu,
               endpoint_settings const& how) const;

 private:
  void open(verbs_settings const& on, device_check const& check);
  void choose_mtu(std::uint32_t wanted);
  void choose_gid(int index);
  void take_gid(int index);
  // The port's GIDs of RoCE v2 over IPv4.
  [[nodiscard]] std::vector<ibv_gid_entry> usable_gids() const;
  [[nodiscard]] failure failed(std::string_view call, std::string_view advice) const;

  std::shared_ptr<verbs_calls> calls_;
  std::string name_;
  device_context context_;
  std::uint32_t mtu_{};
  std::uint8_t gid_index_{};
  ibv_gid gid_{};
  std::uint32_t first_psn_;
  protection_domain domain_;
};

}  // namespace packetwarp::rdma
