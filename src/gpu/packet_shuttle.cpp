// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/packet_shuttle.h"

#include <utility>

#include "gpu/cuda_check.h"
#include "gpu/piece_copy.h"

namespace packetwarp {
namespace {

constexpr std::uint32_t line = 128;

// The pieces lie after the rooms of all packets.
[[nodiscard]] copied_piece* pieces_of(packet_shuttle const& shuttle) {
  return reinterpret_cast<copied_piece*>(shuttle.room(shuttle.packets()));
}

}  // namespace

packet_shuttle::packet_shuttle(int gpu, std::uint32_t packets, std::uint32_t longest)
    : gpu_{gpu},
      packets_{packets},
      longest_{longest},
      stride_{(longest + line - 1) / line * line},
      memory_{gpu, std::size_t{packets} * (stride_ + sizeof(copied_piece))} {
  require_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
}

packet_shuttle::~packet_shuttle() {
  if (stream_ != nullptr) (void)cudaStreamDestroy(stream_);
}

void packet_shuttle::abandon() {
  memory_.abandon();
  stream_ = nullptr;
}

void packet_shuttle::note(std::uint32_t n, std::uint32_t offset, std::byte* in_gpu, std::uint32_t bytes) {
  pieces_of(*this)[noted_++] = {.in_host = room(n) + offset, .in_gpu = in_gpu, .bytes = bytes};
}

bool packet_shuttle::to_gpu() { return run(copy_course::to_gpu); }
bool packet_shuttle::from_gpu() { return run(copy_course::from_gpu); }

bool packet_shuttle::run(copy_course course) {
  auto const count = std::exchange(noted_, 0);
  if (count == 0) return true;
  return cudaSetDevice(gpu_) == cudaSuccess && launch_copy(pieces_of(*this), count, course, stream_) == cudaSuccess &&
         cudaStreamSynchronize(stream_) == cudaSuccess;
}

}  // namespace packetwarp
