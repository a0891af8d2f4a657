// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "rdma/engine/host_engine.h"
#include "rdma/mlx5/mlx5_calls.h"
#include "rdma/verbs/verbs_calls.h"
#include "wire/address.h"

namespace packetwarp::rdma::test {

// The memory that all devices of a test have registered: a key is known at each of them, as if they were one network.
class fabric {
 public:
  std::uint32_t add(std::uint64_t address, std::uint64_t bytes, std::uint32_t rights);
  void remove(std::uint32_t key);

  std::mutex mutex;  // held while a device executes
  std::vector<region> regions;
};

// The properties of a device, and how it misbehaves.
struct hca_manner {
  std::vector<std::string> names{"mlx5_0"};
  bool is_mlx5{true};
  bool has_ipv4{true};
  bool has_thread_domains{true};
  bool takes_allocators{true};
  bool takes_dma_buf{true};
  bool has_peer_memory{true};
  bool fails_silently{};  // a queue goes into the error state, and no completion comes
  ibv_port_state port{IBV_PORT_ACTIVE};
  std::uint32_t completion_bytes{64};
  std::uint32_t more_entries{1};  // times as many as packetwarp needs
};

// A double of libibverbs, libmlx5 and a ConnectX. It lays out queues, records and registers as rdma-core 44 does
// (providers/mlx5/verbs.c, dbrec.c, buf.c), in the memory that the caller's allocators give; a thread is the device: it
// sees doorbells in the registers, reads the records, and executes entries by engine `host`. It shows that packetwarp
// uses the libraries' calls and layouts as their sources have them. It does not show that a NIC does what these say.
class software_hca : public verbs_calls, public mlx5_calls {
 public:
  software_hca(fabric& network, hca_manner manner, wire::ipv4_address address);
  ~software_hca() override;

  // Has a call fail, from its nth use on: "ibv_alloc_pd".
  void refuse(std::string const& call, int error, int nth = 1);
  // The objects that were made and not destroyed, by their kind.
  [[nodiscard]] std::map<std::string, int> held() const;
  // Sentences on calls that libibverbs would refuse or that a device would not survive; empty if all were right.
  [[nodiscard]] std::vector<std::string> violations() const;
  [[nodiscard]] engine_counters counters() const;
  // A second mapping of a page of registers, as a GPU's driver makes one.
  [[nodiscard]] std::byte* map_again(std::byte const* page);
  // Memory that only dma-buf or a peer-memory module makes known.
  void note_gpu_memory(std::byte* at, std::size_t bytes);

  ibv_device** get_device_list(int* count) override;
  void free_device_list(ibv_device** list) override;
  char const* get_device_name(ibv_device* device) override { return device->name; }
  ibv_context* open_device(ibv_device* device) override;
  int close_device(ibv_context* context) override;
  int query_port(ibv_context* context, std::uint8_t port, ibv_port_attr* into) override;
  int query_gid(ibv_context* context, std::uint8_t port, int index, ibv_gid* into) override;
  ssize_t query_gid_table(ibv_context* context, std::span<ibv_gid_entry> into) override;
  ibv_pd* alloc_pd(ibv_context* context) override;
  ibv_td* alloc_td(ibv_context* context) override;
  ibv_pd* alloc_parent_domain(ibv_context* context, ibv_parent_domain_init_attr* of) override;
  int dealloc_pd(ibv_pd* domain) override;
  int dealloc_td(ibv_td* domain) override;
  ibv_mr* reg_mr(ibv_pd* domain, void* at, std::size_t bytes, unsigned access) override;
  ibv_mr* reg_dmabuf_mr(ibv_pd* domain, std::uint64_t offset, std::size_t bytes, std::uint64_t address, int descriptor,
                        unsigned access) override;
  int dereg_mr(ibv_mr* region) override;
  ibv_cq* create_cq(ibv_context* context, int entries) override;
  int destroy_cq(ibv_cq* queue) override;
  int poll_cq(ibv_cq* queue, ibv_wc* into) override;
  ibv_qp* create_qp_ex(ibv_context* context, ibv_qp_init_attr_ex* of) override;
  int destroy_qp(ibv_qp* queue) override;
  int modify_qp(ibv_qp* queue, ibv_qp_attr* to, int mask) override;
  int query_qp(ibv_qp* queue, ibv_qp_attr* into, int mask) override;
  int post_send(ibv_qp* queue, ibv_send_wr* first, ibv_send_wr** refused) override;

  bool is_supported(ibv_device*) override { return manner_.is_mlx5; }
  int set_allocators(ibv_context* context, mlx5dv_ctx_allocators* to) override;
  int init_obj(mlx5dv_obj* object, std::uint64_t types) override;

 private:
  struct domain_object;
  struct completion_object;
  struct queue_object;
  struct register_page;

  [[nodiscard]] bool refused(std::string const& call);
  void must(bool holds, std::string const& sentence);
  template <class T>
  T* made(std::string const& kind, T* object);
  void gone(std::string const& kind);
  [[nodiscard]] std::byte* allocate(std::size_t bytes);
  void free(std::byte* at);
  [[nodiscard]] std::uint32_t* take_record();
  void give_record(std::uint32_t* record);
  [[nodiscard]] std::uint64_t* take_register();
  ibv_mr* register_region(ibv_pd* domain, std::uint64_t address, std::size_t bytes, unsigned access);
  void check_attributes(queue_object const& queue, ibv_qp_attr const& to, int mask);
  void run(std::stop_token const& asked);
  [[nodiscard]] bool serve(queue_object& queue);

  fabric* network_;
  hca_manner manner_;
  wire::ipv4_address address_;
  std::vector<std::unique_ptr<ibv_device>> devices_;
  std::vector<ibv_device*> list_;
  mutable std::recursive_mutex mutex_;  // of all below
  std::map<std::string, std::pair<int, int>> refusals_;
  std::map<std::string, int> uses_, held_;
  std::vector<std::string> violations_;
  mlx5dv_ctx_allocators allocators_{};
  std::byte* record_page_{};
  std::vector<bool> records_;
  std::list<register_page> pages_;
  std::size_t registers_{};
  std::vector<queue_object*> queues_;
  std::vector<domain_object*> domains_;
  std::vector<ibv_mr*> regions_;
  std::vector<std::pair<std::byte*, std::size_t>> gpu_memory_;
  std::uint32_t next_number_{0x1234};
  engine_counters past_;
  std::jthread thread_;
};

}  // namespace packetwarp::rdma::test
