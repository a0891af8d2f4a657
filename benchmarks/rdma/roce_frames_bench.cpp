// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// RoCEv2 frames of writes that a GPU posts, through DPDK's net_ring ports. Prints one line per measurement.
//   CPU threads, 1 to 8, have a port, an engine and 32 queues each, or as many as the argument says. The requesters
//   are a CPU's, as the frames, or a kernel's. The wire is the port itself, which gives back the frames that it sends.
//   It counts the frames of each queue, of which it loses none, and acknowledges each 32nd, as an adapter that needs no
//   CPU to read a frame; of a CPU's requesters it reads the transport headers instead. Every 1,000th frame is checked,
//   ICRC included. Nothing writes the payload to a target; rdma_device_test compares the bytes.
//   "whole way": the thread gives the frames to responders of a kernel instead, which write the payload into GPU
//   memory, and exchanges their answers. Each byte of the targets is compared in the end.
//   "in two pieces": headers in host memory, and the rest of each frame in GPU memory, as with a NIC that splits
//   packets. "in GPU memory": whole frames, as a NIC may read them. Frames of both are read out of GPU memory to be
//   checked, every 100,000th.
// Arguments: queues of a thread (32), numbers of threads (1,2,4,8), bytes (64,256,1024,4096), repeats (1), and ways
// (0,1,2,3,4,5: requesters of a kernel with frames in host memory, in two pieces, in GPU memory; the whole way in host
// memory, in two pieces; requesters of CPU threads).
// Needs a GPU and hugepages.
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "gpu/gpu.h"
#include "memory/eal_session.h"
#include "rdma/bandwidth/gpu_poster.h"
#include "rdma/bandwidth/write_test.h"
#include "roce_case.h"
#include "roce_sender.h"

namespace packetwarp::rdma::roce {
namespace {

constexpr std::uint32_t most_threads = 8;

// The threads of a CPU's core: this one's place among them.
[[nodiscard]] unsigned place_in_core(unsigned cpu) {
  std::ifstream in{"/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list"};
  unsigned first = cpu;
  return in >> first && first != cpu ? 1 : 0;
}
// The CPUs of this process, before the EAL binds the thread that starts it to one of them: those of different cores
// first.
[[nodiscard]] std::vector<unsigned> allowed_cpus() {
  cpu_set_t set;
  std::vector<unsigned> found;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) found.push_back(cpu);
  std::ranges::stable_sort(found, {}, place_in_core);
  return found;
}

struct bench {
  std::vector<std::unique_ptr<own_port>> ports;
  std::uint32_t queues;  // of a thread
  std::vector<unsigned> cpus;
};

// Returns how many frames and queues were wrong.
std::uint64_t measure(bench const& with, frames_way const& in, std::uint32_t threads, std::uint32_t bytes,
                      std::uint64_t messages) {
  std::vector<std::unique_ptr<sender>> senders;
  std::vector<posted_queue> queues;
  for (std::uint32_t n = 0; n < threads; ++n) {
    senders.push_back(
        std::make_unique<sender>(in, n, *with.ports[n], bytes, std::min(with.queues, most_queues(in.how) / threads)));
    senders.back()->add_to(queues);
  }
  gpu_poster poster{0, queues.size()};
  // The first CPU is the poster's.
  for (std::size_t n = 0; n < senders.size(); ++n) senders[n]->start(with.cpus[(n + 1) % with.cpus.size()]);
  auto const iterations = static_cast<std::uint32_t>(std::max<std::uint64_t>(2, messages / (queues.size() * posts)));
  post_loop const loop{.bytes = bytes, .posts = posts, .iterations = iterations, .limit = {20'000'000'000}};
  auto const times = poster.post(queues, loop);
  std::uint64_t wrong = 0;
  for (auto& one : senders) wrong += one->stop();
  for (auto const& one : times) wrong += one.status == work_status::done ? 0 : 1;
  auto const result = summarize(times, bytes, posts);
  std::printf("%s, %u thread%s, %zu queues, %u bytes: %.2f M messages/s, %.1f Gb/s, %lu wrong\n", name_of(in).c_str(),
              threads, threads == 1 ? "" : "s", queues.size(), bytes, result.messages / 1e6,
              result.average_bytes * 8 / 1e9, wrong);
  senders.front()->print_parts();
  std::fflush(stdout);
  return wrong;
}

constexpr std::array ways{frames_way{way::of_gpu, placement::host},   frames_way{way::of_gpu, placement::split},
                          frames_way{way::of_gpu, placement::device}, frames_way{way::whole, placement::host},
                          frames_way{way::whole, placement::split},   frames_way{way::of_cpu, placement::host}};

struct choice {
  std::uint32_t queues{32};
  std::vector<std::uint32_t> threads{1, 2, 4, 8};
  std::vector<std::uint32_t> bytes{64, 256, 1024, 4096};
  std::uint32_t repeats{1};
  std::vector<std::uint32_t> ways{0, 1, 2, 3, 4, 5};
};

std::uint64_t measure_all(choice const& chosen) {
  auto const cpus = allowed_cpus();
  std::vector<std::string> words{"roce_frames_bench",          "--no-pci",         "--in-memory", "-l",
                                 std::to_string(cpus.front()), "--log-level=error"};
  for (std::uint32_t n = 0; n < most_threads; ++n) words.push_back("--vdev=net_ring" + std::to_string(n));
  eal_session const eal{{words, {}}};
  (void)open_gpu(0);
  bench with{.ports = {}, .queues = chosen.queues, .cpus = cpus};
  for (std::uint32_t n = 0; n < most_threads; ++n) with.ports.push_back(std::make_unique<own_port>(n));
  auto const registered = register_packet_pools(0);
  constexpr std::uint64_t small = 30'000'000;
  std::uint64_t wrong = 0;
  for (auto const threads : chosen.threads) {
    for (auto const bytes : chosen.bytes) {
      for (std::uint32_t n = 0; n < chosen.repeats; ++n)
        for (auto const number : chosen.ways) {
          auto const& in = ways.at(number);
          wrong += measure(with, in, threads, bytes, small * threads / (bytes / 64) / (in.how != way::of_cpu ? 1 : 8));
        }
    }
  }
  return wrong;
}

[[nodiscard]] std::uint32_t number_of(char const* word) {
  return static_cast<std::uint32_t>(std::strtoul(word, nullptr, 10));
}
[[nodiscard]] std::vector<std::uint32_t> numbers_of(char const* words) {
  std::vector<std::uint32_t> found;
  for (std::istringstream in{words}; in.good();) {
    std::string word;
    std::getline(in, word, ',');
    found.push_back(number_of(word.c_str()));
  }
  return found;
}
[[nodiscard]] choice choice_of(std::span<char*> words) {
  choice made;
  if (words.size() > 1) made.queues = number_of(words[1]);
  if (words.size() > 2) made.threads = numbers_of(words[2]);
  if (words.size() > 3) made.bytes = numbers_of(words[3]);
  if (words.size() > 4) made.repeats = number_of(words[4]);
  if (words.size() > 5) made.ways = numbers_of(words[5]);
  return made;
}

}  // namespace
}  // namespace packetwarp::rdma::roce

int main(int count, char** words) {
  try {
    using namespace packetwarp::rdma::roce;
    return measure_all(choice_of({words, static_cast<std::size_t>(count)})) == 0 ? 0 : 1;
  } catch (std::exception const& wrong) {
    std::fprintf(stderr, "%s\n", wrong.what());
    return 1;
  }
}
