// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/verbs/verbs_calls.h"

namespace packetwarp::rdma {
namespace {

class libibverbs_calls final : public verbs_calls {
 public:
  ibv_device** get_device_list(int* count) override { return ibv_get_device_list(count); }
  void free_device_list(ibv_device** list) override { ibv_free_device_list(list); }
  char const* get_device_name(ibv_device* device) override { return ibv_get_device_name(device); }
  ibv_context* open_device(ibv_device* device) override { return ibv_open_device(device); }
  int close_device(ibv_context* context) override { return ibv_close_device(context); }

  int query_port(ibv_context* context, std::uint8_t port, ibv_port_attr* into) override {
    return ibv_query_port(context, port, into);
  }
  int query_gid(ibv_context* context, std::uint8_t port, int index, ibv_gid* into) override {
    return ibv_query_gid(context, port, index, into);
  }
  ssize_t query_gid_table(ibv_context* context, std::span<ibv_gid_entry> into) override {
    return ibv_query_gid_table(context, into.data(), into.size(), 0);
  }

  ibv_pd* alloc_pd(ibv_context* context) override { return ibv_alloc_pd(context); }
  ibv_td* alloc_td(ibv_context* context) override {
    ibv_td_init_attr plain{};
    return ibv_alloc_td(context, &plain);
  }
  ibv_pd* alloc_parent_domain(ibv_context* context, ibv_parent_domain_init_attr* of) override {
    return ibv_alloc_parent_domain(context, of);
  }
  int dealloc_pd(ibv_pd* domain) override { return ibv_dealloc_pd(domain); }
  int dealloc_td(ibv_td* domain) override { return ibv_dealloc_td(domain); }

  ibv_mr* reg_mr(ibv_pd* domain, void* at, std::size_t bytes, unsigned access) override {
    return ibv_reg_mr(domain, at, bytes, access);
  }
  ibv_mr* reg_dmabuf_mr(ibv_pd* domain, std::uint64_t offset, std::size_t bytes, std::uint64_t address, int descriptor,
                        unsigned access) override {
    return ibv_reg_dmabuf_mr(domain, offset, bytes, address, descriptor, static_cast<int>(access));
  }
  int dereg_mr(ibv_mr* region) override { return ibv_dereg_mr(region); }

  ibv_cq* create_cq(ibv_context* context, int entries) override {
    return ibv_create_cq(context, entries, nullptr, nullptr, 0);
  }
  int destroy_cq(ibv_cq* queue) override { return ibv_destroy_cq(queue); }
  int poll_cq(ibv_cq* queue, ibv_wc* into) override { return ibv_poll_cq(queue, 1, into); }
  ibv_qp* create_qp_ex(ibv_context* context, ibv_qp_init_attr_ex* of) override { return ibv_create_qp_ex(context, of); }
  int destroy_qp(ibv_qp* queue) override { return ibv_destroy_qp(queue); }
  int modify_qp(ibv_qp* queue, ibv_qp_attr* to, int mask) override { return ibv_modify_qp(queue, to, mask); }
  int query_qp(ibv_qp* queue, ibv_qp_attr* into, int mask) override {
    ibv_qp_init_attr made{};
    return ibv_query_qp(queue, into, mask, &made);
  }
  int post_send(ibv_qp* queue, ibv_send_wr* first, ibv_send_wr** refused) override {
    return ibv_post_send(queue, first, refused);
  }
};

}  // namespace

std::unique_ptr<verbs_calls> library_verbs_calls() { return std::make_unique<libibverbs_calls>(); }

}  // namespace packetwarp::rdma
