// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "inspect/match/inspected_packet.h"
#include "inspect/packet/asked_name.h"

namespace packetwarp::inspect {

// Writes to the packet the host name in a TLS client's first message (RFC 6066, 3), which is put into `name`. The
// message may lie in several segments, whose bytes are the packet's stream.
void read_tls(inspected_packet& packet, asked_name& name);

}  // namespace packetwarp::inspect
