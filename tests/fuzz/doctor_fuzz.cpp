// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "doctor/machine/cpu_list.h"
#include "doctor/machine/pci_express.h"

namespace {

using namespace packetwarp::doctor;

void require(bool holds) {
  if (!holds) std::abort();
}

// Any configuration space has the register within itself, or none.
void search(std::uint8_t const* data, std::size_t size) {
  auto const control = find_device_control({data, size});
  if (control.how != device_control::search::found) return;
  require(control.offset >= 0x48 && control.offset + 2 <= size);
  require(control.value == (data[control.offset] | data[control.offset + 1] << 8));
  device_control const larger{.value = control.with_largest_read_request()};
  require(larger.max_read_request() == 4096u && larger.max_payload() == control.max_payload());
}

// Any text is no list, or a list that reads back the same after it is written.
void read_list(std::string_view text) {
  auto const cpus = parse_cpu_list(text);
  if (cpus) require(parse_cpu_list(to_text(*cpus)) == cpus);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  search(data, size);
  read_list({reinterpret_cast<char const*>(data), size});
  return 0;
}
