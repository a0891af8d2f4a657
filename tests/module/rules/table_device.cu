// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#include <stdexcept>

#include "function/rules/rules.h"
#include "module/rules/table_device.h"

namespace packetwarp::test {
namespace {

__global__ void process_all(std::byte* packets, std::uint32_t const* lengths, std::uint16_t* verdicts, unsigned count,
                            std::size_t stride, std::size_t headroom, rules_ref tables) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    verdicts[i] = rules::process({packets + i * stride + headroom, lengths[i], lengths[i]}, tables).raw();
  }
}

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error{cudaGetErrorString(status)};
}

template <class T>
class on_gpu {
 public:
  explicit on_gpu(std::size_t count) : bytes_{count * sizeof(T)} { check(cudaMalloc(&memory_, bytes_)); }
  on_gpu(on_gpu const&) = delete;
  on_gpu& operator=(on_gpu const&) = delete;
  ~on_gpu() { cudaFree(memory_); }
  [[nodiscard]] T* get() const { return static_cast<T*>(memory_); }
  void write(T const* from) const { check(cudaMemcpy(memory_, from, bytes_, cudaMemcpyHostToDevice)); }
  void read(T* into) const { check(cudaMemcpy(into, memory_, bytes_, cudaMemcpyDeviceToHost)); }

 private:
  std::size_t bytes_;
  void* memory_{};
};

}  // namespace

bool has_gpu() {
  int gpus = 0;
  return cudaGetDeviceCount(&gpus) == cudaSuccess && gpus > 0;
}

std::vector<verdict> process_on_gpu(packet_array& packets, rules_ref const& tables) {
  auto const count = packets.lengths.size();
  on_gpu<std::byte> const bytes{packets.bytes.size()};
  on_gpu<std::uint32_t> const lengths{count};
  on_gpu<std::uint16_t> const raw{count};
  bytes.write(packets.bytes.data());
  lengths.write(packets.lengths.data());
  process_all<<<8, 128>>>(bytes.get(), lengths.get(), raw.get(), static_cast<unsigned>(count), packets.stride,
                          packets.headroom, tables);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  bytes.read(packets.bytes.data());
  std::vector<std::uint16_t> given(count);
  raw.read(given.data());
  std::vector<verdict> verdicts;
  for (auto const one : given) verdicts.push_back(verdict::from_raw(one));
  return verdicts;
}

}  // namespace packetwarp::test
