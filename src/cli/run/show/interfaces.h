// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "master/supervisor.h"
#include "network/network.h"
#include "request/request.h"

namespace packetwarp {

// "show interfaces": {"interfaces":[{"name","port","device","driver","state","mac","mtu","addresses","kernel",
// "rx_queues","tx_queues","rx_packets","rx_bytes","tx_packets","tx_bytes","imissed","ierrors","oerrors","rx_nombuf",
// "received","punted","dropped"}]}, in the file's order. Packets and bytes are the port's own counts; received, punted
// and dropped are counts of the pipelines that receive there. Each call of the work does one interface: a port may ask
// its device. Both outlive the work.
[[nodiscard]] request_work show_interfaces(request const& asked, network& net, supervisor const& watches);

}  // namespace packetwarp
