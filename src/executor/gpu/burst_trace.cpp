// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/burst_trace.h"

#include <utility>

namespace packetwarp {

burst_trace::burst_trace(std::uint32_t slots, std::string name)
    : domain_{nvtxDomainCreateA("packetwarp")}, name_{std::move(name)}, ranges_(slots) {}

burst_trace::~burst_trace() { nvtxDomainDestroy(domain_); }

void burst_trace::given(burst const& work, std::uint64_t position) {
  nvtxEventAttributes_t range{};
  range.version = NVTX_VERSION;
  range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  range.messageType = NVTX_MESSAGE_TYPE_ASCII;
  range.message.ascii = name_.c_str();
  range.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT32;
  range.payload.uiValue = work.size;
  ranges_[position % ranges_.size()] = nvtxDomainRangeStartEx(domain_, &range);
}

void burst_trace::taken_back(burst const&, std::uint64_t position, burst_outcome) { end(position); }

void burst_trace::lost(std::uint64_t position) { end(position); }

void burst_trace::end(std::uint64_t position) { nvtxDomainRangeEnd(domain_, ranges_[position % ranges_.size()]); }

}  // namespace packetwarp
