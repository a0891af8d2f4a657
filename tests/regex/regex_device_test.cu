// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "inspect/device_memory.h"
#include "regex/compile.h"
#include "regex/made_expressions.h"
#include "regex/match.h"

namespace packetwarp::regex {
namespace {

using inspect::managed;

struct flat_text {
  std::uint32_t offset;
  std::uint32_t size;
};

// A thread judges a text by all expressions.
__global__ void match_all(std::byte const* automata, std::uint32_t const* places, std::uint32_t expressions,
                          std::byte const* bytes, flat_text const* texts, std::uint32_t count, std::uint8_t* results) {
  auto const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  for (std::uint32_t n = 0; n < expressions; ++n) {
    bool const has_match = matches({automata + places[n]}, bytes + texts[i].offset, texts[i].size);
    results[std::size_t{i} * expressions + n] = has_match ? 1 : 0;
  }
}

// Automata one after the other, of both kinds and all widths, and texts that some of them match.
struct device_case {
  std::vector<std::uint64_t> automata{};
  std::vector<std::uint32_t> places{};  // bytes
  std::string bytes{};
  std::vector<flat_text> texts{};

  void add(std::string const& pattern, std::string const& modifiers) {
    auto const made = compile(pattern, modifiers);
    if (!made) return;
    places.push_back(static_cast<std::uint32_t>(automata.size() * 8));
    automata.insert(automata.end(), made.words.begin(), made.words.end());
  }
  void add_text(std::string const& text) {
    texts.push_back({static_cast<std::uint32_t>(bytes.size()), static_cast<std::uint32_t>(text.size())});
    bytes += text;
  }
};

[[nodiscard]] device_case make_case() {
  device_case made;
  expression_maker random{11};
  // Bit NFAs of 1, 2, 4 and 8 words.
  for (auto const* pattern : {"a.{20}b", "a.{90}b|c", "\\ba.{200}b\\b", "[ab][^\\n]{300,}", "a.{400}$"}) {
    made.add(pattern, "s");
  }
  for (int i = 0; i < 200; ++i) {
    auto const one = random.expression();
    made.add(one.pattern, random.modifiers());
    for (int text = 0; text < 5; ++text) made.add_text(random.text_of(one.sample));
  }
  for (int i = 0; i < 200; ++i) made.add_text(random.text(700));
  return made;
}

template <class T>
[[nodiscard]] T* copied(T const* from, std::size_t count) {
  auto* const made = managed<T>(count + 1);
  std::memcpy(made, from, count * sizeof(T));
  return made;
}

TEST(device, has_the_answers_of_the_host) {
  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) GTEST_SKIP() << "no GPU";
  auto const given = make_case();
  auto const expressions = static_cast<std::uint32_t>(given.places.size());
  auto const count = static_cast<std::uint32_t>(given.texts.size());
  ASSERT_GT(expressions, 150U);
  auto* const automata = copied(given.automata.data(), given.automata.size());
  auto* const places = copied(given.places.data(), given.places.size());
  auto* const bytes = copied(reinterpret_cast<std::byte const*>(given.bytes.data()), given.bytes.size());
  auto* const texts = copied(given.texts.data(), given.texts.size());
  auto* const results = managed<std::uint8_t>(std::size_t{count} * expressions);
  match_all<<<(count + 127) / 128, 128>>>(reinterpret_cast<std::byte const*>(automata), places, expressions, bytes,
                                          texts, count, results);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::size_t matched = 0;
  std::size_t of_bits = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t n = 0; n < expressions; ++n) {
      automaton_ref const one{reinterpret_cast<std::byte const*>(automata) + places[n]};
      bool const wanted = matches(one, bytes + texts[i].offset, texts[i].size);
      ASSERT_EQ(results[std::size_t{i} * expressions + n] != 0, wanted) << "text " << i << ", expression " << n;
      if (wanted) ++matched;
      if (wanted && one.header().kind == automaton_kind::bit_nfa) ++of_bits;
    }
  }
  EXPECT_GT(matched, 10'000U);
  EXPECT_LT(matched, std::size_t{count} * expressions - 10'000);
  EXPECT_GT(of_bits, 100U);
  for (void* memory : {static_cast<void*>(automata), static_cast<void*>(places), static_cast<void*>(bytes),
                       static_cast<void*>(texts), static_cast<void*>(results)}) {
    cudaFree(memory);
  }
}

}  // namespace
}  // namespace packetwarp::regex
