// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstring>

#include "base/process/stop.h"
#include "rdma/mlx5/mlx5_fixture.h"

namespace packetwarp::rdma::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr endpoint_settings two_queues{.queues = 2, .posts = 8, .area = 65536};
constexpr endpoint_settings of_gpu{
    .queues = 2, .posts = 8, .area = 65536, .posting = initiator::gpu, .payload = memory_kind::device};

// The line of the error that opening an endpoint, and connecting it to itself, ends with.
template <class Error>
[[nodiscard]] std::string line_of_error(machine_double& machine, endpoint_settings const& settings,
                                        verbs_settings const& on = {}) {
  try {
    auto const end = machine.open(settings, on);
    end->connect(end->keys(), end->mtu());
  } catch (Error const& refused) {
    return refused.what();
  }
  return "no error";
}

struct refusal {
  std::string call;
  int nth;
  int error;
  std::string advice;  // a part of it
};

void PrintTo(refusal const& one, std::ostream* into) { *into << one.call << ", use " << one.nth; }

class mlx5_refusals : public testing::TestWithParam<refusal> {};

TEST_P(mlx5_refusals, are_one_line_with_the_call_the_reason_and_advice_and_leave_nothing) {
  auto const& [call, nth, error, advice] = GetParam();
  fabric network;
  machine_double machine{network};
  machine.hca->refuse(call, error, nth);
  auto const line = line_of_error<failure>(machine, two_queues);
  EXPECT_THAT(line, AllOf(StartsWith("rdma: " + call), HasSubstr(" on mlx5_0 failed: "), HasSubstr(advice),
                          HasSubstr(std::string{std::strerror(error)} + ": ")));
  EXPECT_EQ(line.find('\n'), std::string::npos);
  machine.must_be_clean();
}

INSTANTIATE_TEST_SUITE_P(
    each_call, mlx5_refusals,
    testing::Values(
        refusal{"ibv_open_device", 1, EACCES, "/dev/infiniband/uverbs*"},
        refusal{"ibv_query_port", 1, EINVAL, "rdma link"}, refusal{"ibv_query_gid_table", 1, EOPNOTSUPP, "-x"},
        refusal{"ibv_alloc_pd", 1, ENOMEM, "end"}, refusal{"mlx5dv_set_context_attr", 1, ENOTSUP, "rdma-core"},
        refusal{"ibv_reg_mr", 1, ENOMEM, "ulimit -l"}, refusal{"ibv_reg_mr", 2, ENOMEM, "ulimit -l"},
        refusal{"ibv_create_cq", 1, EINVAL, "--posts"}, refusal{"ibv_create_cq", 2, ENOMEM, "-q"},
        refusal{"ibv_create_qp", 1, EINVAL, "--posts"}, refusal{"ibv_create_qp", 2, ENOMEM, "-q"},
        refusal{"ibv_modify_qp to INIT", 2, EINVAL, "dmesg"}, refusal{"mlx5dv_init_obj", 2, EOPNOTSUPP, "rdma-core"},
        refusal{"ibv_modify_qp to RTR", 2, ETIMEDOUT, "ping"}, refusal{"ibv_modify_qp to RTS", 1, EINVAL, "dmesg"}),
    [](auto const& one) {
      auto name = one.param.call + "_" + std::to_string(one.param.nth);
      std::ranges::replace(name, ' ', '_');
      return name;
    });

TEST(mlx5_devices, of_another_kind_are_a_wrong_request_that_names_verbs) {
  fabric network;
  machine_double machine{network, {.names = {"rxe0"}, .is_mlx5 = false}};
  EXPECT_EQ(line_of_error<usage_error>(machine, of_gpu),
            "rdma: rxe0 is no mlx5 device, which --transport mlx5 needs: give --transport verbs");
  machine.must_be_clean();
}

TEST(mlx5_devices, that_are_missing_or_unclear_are_a_wrong_request) {
  fabric network;
  machine_double none{network, {.names = {}}};
  EXPECT_THAT(line_of_error<usage_error>(none, two_queues), StartsWith("rdma: there is no verbs device here"));
  machine_double two{network, {.names = {"mlx5_0", "mlx5_1"}}};
  EXPECT_EQ(line_of_error<usage_error>(two, two_queues),
            "rdma: there are several verbs devices: give -d one of mlx5_0, mlx5_1");
  EXPECT_EQ(line_of_error<usage_error>(two, two_queues, {.device = "mlx5_7"}),
            "rdma: there is no verbs device 'mlx5_7'; there are mlx5_0, mlx5_1");
  EXPECT_EQ(line_of_error<usage_error>(two, two_queues, {.device = "mlx5_1"}), "no error");
  machine_double unlisted{network};
  unlisted.hca->refuse("ibv_get_device_list", ENOSYS);
  EXPECT_THAT(line_of_error<usage_error>(unlisted, two_queues), StartsWith("rdma: there is no verbs device here"));
  for (auto const* one : {&none, &two, &unlisted}) one->must_be_clean();
}

TEST(mlx5_devices, whose_port_or_gid_does_not_serve_say_so) {
  fabric network;
  machine_double down{network, {.port = IBV_PORT_DOWN}};
  EXPECT_EQ(line_of_error<failure>(down, two_queues), "rdma: port 1 of mlx5_0 is not active: set its link up");
  machine_double no_ipv4{network, {.has_ipv4 = false}};
  EXPECT_THAT(line_of_error<usage_error>(no_ipv4, two_queues),
              StartsWith("rdma: mlx5_0 has no GID of RoCE v2 over IPv4"));
  EXPECT_EQ(line_of_error<usage_error>(no_ipv4, two_queues, {.gid_index = 9}), "rdma: mlx5_0 has no GID 9");
  EXPECT_EQ(line_of_error<usage_error>(no_ipv4, two_queues, {.gid_index = 3}), "no error");
  machine_double both{network};
  EXPECT_EQ(
      line_of_error<usage_error>(both, two_queues, {.gid_index = 0}),
      "rdma: GID 0 of mlx5_0 is fe80:0000:0000:0000:0000:0000:0000:0000, which is no IPv4 address's: give -x one of "
      "3 (10.9.0.1)");
  EXPECT_EQ(line_of_error<usage_error>(both, two_queues, {.gid_index = 1}),
            "rdma: GID 1 of mlx5_0 is empty: give -x one of 3 (10.9.0.1)");
  EXPECT_EQ(line_of_error<usage_error>(no_ipv4, two_queues, {.gid_index = 1}),
            "rdma: GID 1 of mlx5_0 is empty: give its interface an IPv4 address");
  auto small = two_queues;
  small.mtu = 8192;
  EXPECT_EQ(line_of_error<usage_error>(no_ipv4, small, {.gid_index = 3}),
            "rdma: mlx5_0 has an MTU of 4096: give a smaller -m than 8192");
  for (auto const* one : {&down, &no_ipv4, &both}) one->must_be_clean();
}

TEST(mlx5_queues, of_a_form_that_packetwarp_does_not_know_are_refused) {
  fabric network;
  machine_double large_completions{network, {.completion_bytes = 128}};
  EXPECT_EQ(line_of_error<failure>(large_completions, two_queues),
            "rdma: libmlx5 made a queue with 128 bytes per completion queue entry, and packetwarp needs 64: "
            "unset MLX5_CQE_SIZE");
  machine_double other_size{network, {.more_entries = 4}};
  EXPECT_EQ(
      line_of_error<failure>(other_size, two_queues),
      "rdma: libmlx5 made a queue with 64 send queue entries, and packetwarp needs 16: install a newer rdma-core");
  machine_double elsewhere{network, {.takes_allocators = false}};
  EXPECT_THAT(line_of_error<failure>(elsewhere, two_queues), HasSubstr("MLX5DV_CTX_ATTR_BUF_ALLOCATORS"));
  for (auto const* one : {&large_completions, &other_size, &elsewhere}) one->must_be_clean();
}

TEST(mlx5_payload, of_a_gpu_that_nothing_makes_known_is_one_line_with_both_reasons) {
  fabric network;
  machine_double neither{network, {.takes_dma_buf = false, .has_peer_memory = false}};
  EXPECT_EQ(line_of_error<failure>(neither, of_gpu),
            "rdma: mlx5_0 cannot reach the memory of GPU 0: by dma-buf, ibv_reg_dmabuf_mr failed: Operation not "
            "supported; by nvidia-peermem, ibv_reg_mr failed: Bad address: give --payload host, or see 'packetwarp "
            "doctor --only rdma'");
  machine_double unexported{network, {.has_peer_memory = false}, {.exports_memory = false}};
  EXPECT_THAT(line_of_error<failure>(unexported, of_gpu),
              HasSubstr("by dma-buf, the NVIDIA driver has no cuMemGetHandleForAddressRange; by nvidia-peermem, "));
  for (auto const* one : {&neither, &unexported}) one->must_be_clean();
}

// On such a GPU the loop of the kernel would wait for ever.
TEST(mlx5_payload, of_a_gpu_whose_kernels_do_not_see_writes_is_refused_by_the_test_of_latency) {
  fabric network;
  machine_double machine{network, {}, {.shows_writes_to_kernels = false}};
  {
    auto const end = machine.open(of_gpu);
    std::string line = "no error";
    try {
      (void)end->ping(8, 1, ping_side::writes_first);
    } catch (usage_error const& wrong) {
      line = wrong.what();
    }
    EXPECT_EQ(line,
              "rdma-lat: a kernel of GPU 0 does not see a NIC's writes to the GPU's memory while it runs: give "
              "--payload host");
  }
  machine.must_be_clean();
}

TEST(mlx5_registers, of_their_own_are_given_up_for_a_proxy_if_a_call_fails) {
  for (auto const* call : {"ibv_alloc_td", "ibv_alloc_parent_domain"}) {
    fabric network;
    machine_double machine{network};
    machine.hca->refuse(call, ENOMEM, 2);
    {
      auto const end = machine.open(of_gpu);
      EXPECT_EQ(property(*end, "doorbell"), "proxy");
      EXPECT_EQ(property(*end, "doorbell_reason"),
                fmt::format("queues share doorbell registers: {} failed: Cannot allocate memory", call));
      EXPECT_EQ(machine.ledger.mapped, 0) << "the first queue's page is not needed";
    }
    machine.must_be_clean();
  }
}

// Errors of a connected queue.
class mlx5_errors : public testing::Test {
 protected:
  [[nodiscard]] static work_status status_of(std::vector<post_times> const& times) { return times.front().status; }
  fabric network_;
};

TEST_F(mlx5_errors, of_the_peer_come_as_completions) {
  machine_double machine{network_};
  {
    auto const end = machine.open(two_queues);
    auto peers = end->keys();
    peers[0].rkey ^= 1;
    end->connect(peers, 1024);
    auto const times = end->post({.bytes = 8, .posts = 8, .iterations = 3});
    EXPECT_EQ(status_of(times), work_status::remote_access_error);
    EXPECT_EQ(times[0].iterations, 0U);
    EXPECT_EQ(times[1].status, work_status::done) << "other queues go on";
    EXPECT_EQ(end->write_first(8), work_status::remote_access_error);
  }
  EXPECT_EQ(machine.hca->counters().access_errors, 1U);
  EXPECT_EQ(machine.hca->counters().flushed, 7U);
  machine.must_be_clean();
}

TEST_F(mlx5_errors, without_a_completion_are_found_in_the_queues_state) {
  machine_double machine{network_, {.fails_silently = true}};
  machine.limit = {20'000'000};
  {
    auto const end = machine.open(two_queues);
    end->connect(end->keys(), 1024);
    try {
      (void)end->post({.bytes = 8, .posts = 8, .iterations = 1});
      ADD_FAILURE() << "no error";
    } catch (failure const& found) {
      EXPECT_STREQ(found.what(),
                   "rdma: queue 0 of mlx5_0 is in the error state, and no completion says why: the kernel's log "
                   "('dmesg') may");
    }
  }
  machine.must_be_clean();
}

TEST_F(mlx5_errors, do_not_hold_a_user_who_has_asked_twice_to_stop) {
  machine_double machine{network_, {.fails_silently = true}};  // a completion is awaited for a minute
  {
    auto const end = machine.open(two_queues);
    end->connect(end->keys(), 1024);
    EXPECT_EQ(end->write_first(8), work_status::done);
    request_stop();
    request_stop();
    try {
      (void)end->await_first();
      ADD_FAILURE() << "no error";
    } catch (failure const& found) {
      EXPECT_STREQ(found.what(), "rdma: interrupted while writes were under way");
    }
    clear_stop_request();
  }
  machine.must_be_clean();
}

TEST(queue_memory, names_the_reason_why_it_has_none) {
  if (!find_gpus().empty()) GTEST_SKIP() << "this machine pins memory for its GPU";
  queue_memory memory{memory_kind::pinned, 0};
  auto const allocators = memory.allocators();
  EXPECT_EQ(allocators.alloc(4096, allocators.data), nullptr);
  EXPECT_NE(memory.problem(), "");
  EXPECT_EQ(memory.pieces(), 0U);
}

TEST(queue_memory, knows_what_lies_in_it) {
  queue_memory memory{memory_kind::host, 0};
  auto const allocators = memory.allocators();
  auto* const at = static_cast<std::byte*>(allocators.alloc(8192, allocators.data));
  ASSERT_NE(at, nullptr);
  EXPECT_TRUE(memory.has(at, 8192));
  EXPECT_TRUE(memory.has(at + 8191, 1));
  EXPECT_FALSE(memory.has(at, 8193));
  EXPECT_FALSE(memory.has(at + 8192, 1));
  EXPECT_FALSE(memory.has(at - 1, 1));
  allocators.free(at, allocators.data);
  EXPECT_EQ(memory.pieces(), 0U);
}

}  // namespace
}  // namespace packetwarp::rdma::test
