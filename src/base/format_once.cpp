// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/format_once.h"

#if FMT_VERSION < 100000
template void fmt::detail::vformat_to<char>(fmt::detail::buffer<char>&, fmt::basic_string_view<char>,
                                            fmt::basic_format_args<fmt::buffer_context<fmt::type_identity_t<char>>>,
                                            fmt::detail::locale_ref);
#endif
