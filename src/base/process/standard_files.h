// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace packetwarp {

// Opens each of standard input, output and error that this process was started without, so that no other file gets its
// number: otherwise what is printed would be written into that file, such as memory that DPDK maps. A read or write
// there fails with EBADF, as it would without. Call it before any other file is opened. Throws failure.
void hold_standard_files();

}  // namespace packetwarp
