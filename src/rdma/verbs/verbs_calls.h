// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <infiniband/verbs.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace packetwarp::rdma {

// The functions of libibverbs that this program calls, each as ibv_ and its name. Tests put a device of their own in
// their place. A function that returns a pointer sets errno if it returns none; one that returns a number returns 0, or
// the error's number, or -1 and sets errno.
class verbs_calls {
 public:
  verbs_calls() = default;
  verbs_calls(verbs_calls const&) = delete;
  verbs_calls& operator=(verbs_calls const&) = delete;
  virtual ~verbs_calls() = default;

  [[nodiscard]] virtual ibv_device** get_device_list(int* count) = 0;
  virtual void free_device_list(ibv_device** list) = 0;
  [[nodiscard]] virtual char const* get_device_name(ibv_device* device) = 0;
  [[nodiscard]] virtual ibv_context* open_device(ibv_device* device) = 0;
  virtual int close_device(ibv_context* context) = 0;

  [[nodiscard]] virtual int query_port(ibv_context* context, std::uint8_t port, ibv_port_attr* into) = 0;
  [[nodiscard]] virtual int query_gid(ibv_context* context, std::uint8_t port, int index, ibv_gid* into) = 0;
  [[nodiscard]] virtual ssize_t query_gid_table(ibv_context* context, std::span<ibv_gid_entry> into) = 0;

  [[nodiscard]] virtual ibv_pd* alloc_pd(ibv_context* context) = 0;
  [[nodiscard]] virtual ibv_td* alloc_td(ibv_context* context) = 0;
  [[nodiscard]] virtual ibv_pd* alloc_parent_domain(ibv_context* context, ibv_parent_domain_init_attr* of) = 0;
  virtual int dealloc_pd(ibv_pd* domain) = 0;  // also a parent domain
  virtual int dealloc_td(ibv_td* domain) = 0;

  [[nodiscard]] virtual ibv_mr* reg_mr(ibv_pd* domain, void* at, std::size_t bytes, unsigned access) = 0;
  [[nodiscard]] virtual ibv_mr* reg_dmabuf_mr(ibv_pd* domain, std::uint64_t offset, std::size_t bytes,
                                              std::uint64_t address, int descriptor, unsigned access) = 0;
  virtual int dereg_mr(ibv_mr* region) = 0;

  [[nodiscard]] virtual ibv_cq* create_cq(ibv_context* context, int entries) = 0;
  virtual int destroy_cq(ibv_cq* queue) = 0;
  [[nodiscard]] virtual int poll_cq(ibv_cq* queue, ibv_wc* into) = 0;  // one completion
  [[nodiscard]] virtual ibv_qp* create_qp_ex(ibv_context* context, ibv_qp_init_attr_ex* of) = 0;
  virtual int destroy_qp(ibv_qp* queue) = 0;
  [[nodiscard]] virtual int modify_qp(ibv_qp* queue, ibv_qp_attr* to, int mask) = 0;
  [[nodiscard]] virtual int query_qp(ibv_qp* queue, ibv_qp_attr* into, int mask) = 0;
  [[nodiscard]] virtual int post_send(ibv_qp* queue, ibv_send_wr* first, ibv_send_wr** refused) = 0;
};

// libibverbs itself.
[[nodiscard]] std::unique_ptr<verbs_calls> library_verbs_calls();

}  // namespace packetwarp::rdma
