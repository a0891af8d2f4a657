// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "feature/flow_record.h"
#include "feature/host_record.h"

namespace packetwarp::feature {

// The records of a packet's flow and of both its hosts, begun for the packet's epoch. Null: the table had no place.
struct packet_records {
  flow_record* flow;
  host_record* source;
  host_record* destination;
};

}  // namespace packetwarp::feature
