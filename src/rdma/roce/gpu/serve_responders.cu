// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/engine/warp_copy.cuh"
#include "rdma/roce/gpu/combine_lanes.cuh"
#include "rdma/roce/gpu/serve_responders.h"
#include "rdma/roce/lane_request.h"

namespace packetwarp::rdma::roce {
namespace {

constexpr std::uint32_t responder_warps = 16, responder_threads = responder_warps * lanes;
constexpr std::uint32_t idle_rounds_per_look = 64;  // the stop word is in host memory

// A frame of a round.
struct request_of_warp {
  packet_fields fields;
  std::byte const* payload;  // in the warp's room
  std::uint32_t payload_bytes;
  std::uint32_t is_right;  // its ICRC
  responder_verdict verdict;
  std::uint32_t is_word;  // its payload is one word, stored after all earlier payload
};

// The shared memory of a block; the rooms of its warps' frames follow.
struct responder_room {
  responder state;
  lane_tables tables;
  request_of_warp requests[responder_warps];
  std::uint64_t slots[2 * responder_warps];  // of the inbox: frames, and then what they go on with, if anything
  std::uint64_t taken;                       // frames
  std::uint64_t answers;
  std::uint64_t bad_icrc;
  std::uint32_t count;  // frames of the round
  std::uint32_t is_stopped;
};
constexpr std::size_t request_rooms_at = (sizeof(responder_room) + 15) / 16 * 16;

[[nodiscard]] HOST_DEVICE constexpr std::size_t room_bytes_of(std::uint32_t mtu) {
  return frame_room_of(mtu) + lane_request::room_beyond;
}
[[nodiscard]] std::size_t bytes_of_block(std::uint32_t mtu) {
  return request_rooms_at + responder_warps * room_bytes_of(mtu);
}

// A block that answers the requests of one queue, a frame per warp at a time.
class block_responder {
 public:
  __device__ block_responder(request_queue const& queue, region_table_ref regions, responder_room& room,
                             std::byte* frame_room)
      : box_{*queue.box},
        has_rests_{queue.pieces == frame_pieces::two},
        regions_{regions},
        room_{room},
        own_{room.requests[threadIdx.x / lanes]},
        frame_room_{frame_room},
        lane_{threadIdx.x % lanes},
        warp_{threadIdx.x / lanes},
        power_{lane_power(threadIdx.x % lanes)} {}

  // Returns whether frames came.
  __device__ bool serve() {
    if (warp_ == 0) read_inbox();
    __syncthreads();
    if (room_.count == 0) return false;
    if (warp_ < room_.count) read_frame(room_.slots[warp_], has_rests_ ? room_.slots[responder_warps + warp_] : 0);
    __syncthreads();
    if (threadIdx.x == 0) decide();
    __syncthreads();
    write_payload();
    __syncthreads();
    if (threadIdx.x == 0) {
      room_.taken += room_.count;
      detail::store_after(box_.told, room_.answers << 32 | (room_.taken & 0xffff'ffff), release_to_system);
    }
    return true;
  }

 private:
  // The frames of a round, as many as there are warps: by one warp, side by side, because it is asked again and again,
  // and each access is a trip over PCIe. Half of its lanes look for second pieces: a slot says by itself whether it is
  // of this lap.
  __device__ void read_inbox() {
    static_assert(2 * responder_warps == lanes);
    auto const number = room_.taken + lane_ % responder_warps;
    auto const place = number % inbox::most_frames;
    bool const is_first = lane_ < responder_warps;
    bool const is_asked = is_first || has_rests_;
    auto const slot = is_asked ? detail::load_acquire(is_first ? box_.frames[place] : box_.rests[place]) : 0;
    room_.slots[lane_] = slot;
    auto there = __ballot_sync(0xffff'ffffU, is_asked && is_frame(slot, number));
    if (has_rests_) there &= there >> responder_warps;
    there &= (1U << responder_warps) - 1;
    if (lane_ == 0) room_.count = static_cast<std::uint32_t>(__ffs(static_cast<int>(~there)) - 1);
  }

  // The warp's frame, into its room, and its fields. rest: the slot of its second piece, or 0.
  __device__ void read_frame(std::uint64_t slot, std::uint64_t rest) {
    // The CPU has found the lengths right.
    auto const first = bytes_of_frame(slot), bytes = first + bytes_of_frame(rest);
    lane_request const request{address_of_frame(slot), first, bytes_of_frame(rest), frame_room_};
    request.copy(lane_);
    __syncwarp();
    request.copy_rest(lane_, address_of_frame(rest));
    __syncwarp();
    auto const parts = combine_lanes(request.icrc_part(lane_, room_.tables, power_));
    if (lane_ != 0) return;
    own_.is_right = request.is_right(parts) ? 1 : 0;
    auto const packet = parse_packet(request.frame() + transport_at, bytes - transport_at);
    own_.fields = packet.fields;
    own_.payload = request.frame() + transport_at + packet.payload_at;
    own_.payload_bytes = static_cast<std::uint32_t>(packet.payload);
  }

  // The frames in their order, by one thread.
  __device__ void decide() {
    responder_verdict answer;
    for (std::uint32_t n = 0; n < room_.count; ++n) {
      auto& request = room_.requests[n];
      request.verdict = {};
      request.is_word = 0;
      if (request.is_right == 0) {
        ++room_.bad_icrc;
        continue;
      }
      auto const verdict = room_.state.take(request.fields, request.payload_bytes, regions_);
      request.verdict = verdict;
      request.is_word = verdict.bytes == sizeof(std::uint64_t) &&
                        reinterpret_cast<std::uintptr_t>(verdict.to) % sizeof(std::uint64_t) == 0;
      answer = later_answer(answer, verdict);
    }
    if (answer.answer == answer_kind::none) return;
    room_.state.note(answer);
    box_.answers[room_.answers++ % inbox::most_frames] = packed_verdict(answer);
  }

  // Payloads side by side, up to one that is a word, which is stored after them.
  __device__ void write_payload() const {
    for (std::uint32_t begin = 0; begin < room_.count;) {
      auto end = begin;
      while (end < room_.count && room_.requests[end].is_word == 0) ++end;
      if (warp_ >= begin && warp_ < end) copy_payload();
      if (end == room_.count) return;
      __syncthreads();
      if (warp_ == end && lane_ == 0) {
        std::uint64_t value = 0;
        memcpy(&value, own_.payload, sizeof value);
        detail::store_after(*reinterpret_cast<std::uint64_t*>(own_.verdict.to), value, release_to_system);
      }
      __syncthreads();
      begin = end + 1;
    }
  }
  __device__ void copy_payload() const {
    auto const& verdict = own_.verdict;
    auto const to = reinterpret_cast<std::uint64_t>(verdict.to);
    auto const in_words = to % 8 == 0 ? verdict.bytes / 8 * 8 : 0;
    for (auto at = 8 * lane_; at < in_words; at += 8 * lanes)
      *reinterpret_cast<unsigned long long*>(verdict.to + at) =
          *reinterpret_cast<unsigned long long const*>(own_.payload + at);
    for (auto at = in_words + lane_; at < verdict.bytes; at += lanes) verdict.to[at] = own_.payload[at];
  }

  inbox& box_;
  bool has_rests_;
  region_table_ref regions_;
  responder_room& room_;
  request_of_warp& own_;
  std::byte* frame_room_;
  std::uint32_t lane_;
  std::uint32_t warp_;
  std::uint32_t power_;
};

__global__ __launch_bounds__(responder_threads, 2) void serve_responders(served_responders work) {
  extern __shared__ __align__(64) std::byte shared_memory[];
  auto& room = *reinterpret_cast<responder_room*>(shared_memory);
  auto const queue = work.queues[blockIdx.x];
  for (auto i = threadIdx.x; i < lane_tables::words; i += responder_threads)
    room.tables.of[i / 256][i % 256] = table_word(i);
  if (threadIdx.x == 0) {
    room.state = responder{queue.first_psn, queue.mtu};
    room.taken = room.answers = room.bad_icrc = 0;
    room.is_stopped = 0;
  }
  __syncthreads();
  block_responder block{queue,
                        {work.regions, work.region_count},
                        room,
                        shared_memory + request_rooms_at + threadIdx.x / lanes * room_bytes_of(work.mtu)};
  for (std::uint32_t idle = 0; room.is_stopped == 0;) {
    idle = block.serve() ? 0 : idle + 1;
    if (threadIdx.x == 0 && idle % idle_rounds_per_look == 1)
      room.is_stopped = detail::load(queue.box->stop) != 0 ? 1 : 0;
    __syncthreads();
  }
  if (threadIdx.x == 0) work.counters[blockIdx.x] = {room.state.counters(), room.bad_icrc};
}

}  // namespace

cudaError_t count_responder_blocks(std::uint32_t mtu, std::size_t& most) {
  auto const bytes = bytes_of_block(mtu);
  int device = 0, blocks = 0, processors = 0;
  auto said = cudaGetDevice(&device);
  if (said == cudaSuccess)
    said = cudaFuncSetAttribute(serve_responders, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  if (said == cudaSuccess)
    said = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, serve_responders, responder_threads, bytes);
  if (said == cudaSuccess) said = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  most = static_cast<std::size_t>(blocks) * static_cast<std::size_t>(processors);
  return said;
}

cudaError_t launch_serve_responders(served_responders const& work, cudaStream_t stream) {
  serve_responders<<<work.count, responder_threads, bytes_of_block(work.mtu), stream>>>(work);
  return cudaGetLastError();
}

}  // namespace packetwarp::rdma::roce
