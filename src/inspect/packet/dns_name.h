// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "inspect/match/inspected_packet.h"

namespace packetwarp::inspect {

// Room for a dot and a name (RFC 1035, 2.3.4: 255 bytes with the length of each label, of which dots take the place).
using dns_name = std::array<std::byte, 256>;

// Writes to the packet whether it is DNS in UDP from or to port 53, and the first name that it asks for, which is put
// into `name`: its labels with dots between them. An answer, and a name with a compressed or cut label, ask for none.
void read_dns(inspected_packet& packet, dns_name& name);

}  // namespace packetwarp::inspect
