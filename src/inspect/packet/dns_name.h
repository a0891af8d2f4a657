// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "inspect/match/inspected_packet.h"
#include "inspect/packet/asked_name.h"

namespace packetwarp::inspect {

// Writes to the packet whether it is DNS in UDP from or to port 53, and the first name that it asks for, which is put
// into `name`: its labels with dots between them. An answer, and a name with a compressed or cut label, ask for none.
void read_dns(inspected_packet& packet, asked_name& name);

}  // namespace packetwarp::inspect
