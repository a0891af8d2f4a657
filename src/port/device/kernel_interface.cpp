// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/device/kernel_interface.h"

#include <fmt/format.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <variant>

#include "base/error.h"
#include "wire/big_endian.h"

namespace packetwarp {
namespace {

// A request with a header of its own kind, and a few attributes after it.
template <class Body>
struct request {
  nlmsghdr header{};
  Body body{};
  std::array<std::byte, 64> attributes{};

  request(std::uint16_t type, std::uint16_t flags) {
    header.nlmsg_len = NLMSG_LENGTH(sizeof body);
    header.nlmsg_type = type;
    header.nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | NLM_F_ACK | flags);
    header.nlmsg_seq = 1;
  }
  void add(std::uint16_t type, void const* value, std::uint16_t size) {
    auto const at = NLMSG_ALIGN(header.nlmsg_len) - offsetof(request, attributes);
    rtattr const attribute{.rta_len = static_cast<std::uint16_t>(RTA_LENGTH(size)), .rta_type = type};
    std::memcpy(attributes.data() + at, &attribute, sizeof attribute);
    std::memcpy(attributes.data() + at + RTA_LENGTH(0), value, size);
    header.nlmsg_len = static_cast<std::uint32_t>(NLMSG_ALIGN(header.nlmsg_len) + RTA_ALIGN(attribute.rta_len));
  }
};
static_assert(offsetof(request<ifinfomsg>, attributes) == NLMSG_LENGTH(sizeof(ifinfomsg)));
static_assert(offsetof(request<ifaddrmsg>, attributes) == NLMSG_LENGTH(sizeof(ifaddrmsg)));
static_assert(offsetof(request<rtmsg>, attributes) == NLMSG_LENGTH(sizeof(rtmsg)));

constexpr std::size_t max_alias = 60;
static_assert(RTA_LENGTH(max_alias) <= sizeof request<ifinfomsg>::attributes);

[[nodiscard]] std::string words_of(int error) { return std::strerror(error); }
[[nodiscard]] kernel_interface::refusal refusal_of(int error) {
  return error == 0 ? std::nullopt : std::optional{words_of(error)};
}

// of: IFLA_XDP.
[[nodiscard]] bool is_xdp_attached(rtattr const* of) {
  auto const* one = static_cast<rtattr const*>(RTA_DATA(of));
  auto left = static_cast<std::uint32_t>(RTA_PAYLOAD(of));
  for (; RTA_OK(one, left); one = RTA_NEXT(one, left)) {
    if (one->rta_type == IFLA_XDP_ATTACHED) return *static_cast<char const*>(RTA_DATA(one)) != 0;
  }
  return false;
}

}  // namespace

bool kernel_interface::exists(std::string const& name) { return ::if_nametoindex(name.c_str()) != 0; }

kernel_interface::kernel_interface(std::string const& name) : name_{name} {
  index_ = static_cast<int>(::if_nametoindex(name.c_str()));
  if (index_ == 0) throw failure(fmt::format("kernel interface {}: {}", name, words_of(errno)));
  socket_ = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (socket_ < 0) throw failure(fmt::format("kernel interface {}: no rtnetlink socket: {}", name, words_of(errno)));
}

kernel_interface::~kernel_interface() { ::close(socket_); }

int kernel_interface::ask(void* message) const {
  auto const* const asked = static_cast<nlmsghdr const*>(message);
  if (::send(socket_, message, asked->nlmsg_len, 0) < 0) return errno;
  struct {
    nlmsghdr header;
    nlmsgerr said;
    std::array<std::byte, 512> rest;
  } answer{};
  if (::recv(socket_, &answer, sizeof answer, 0) < 0) return errno;
  return answer.header.nlmsg_type == NLMSG_ERROR ? -answer.said.error : EPROTO;
}

kernel_interface::refusal kernel_interface::change_link(unsigned flags, std::uint16_t attribute, void const* value,
                                                        std::uint16_t size) {
  request<ifinfomsg> asked{RTM_NEWLINK, 0};
  asked.body.ifi_family = AF_UNSPEC;
  asked.body.ifi_index = index_;
  asked.body.ifi_flags = flags;
  asked.body.ifi_change = flags;
  if (value != nullptr) asked.add(attribute, value, size);
  return refusal_of(ask(&asked));
}

kernel_interface::refusal kernel_interface::set_mac(wire::mac_address const& mac) {
  return change_link(0, IFLA_ADDRESS, mac.octets, sizeof mac.octets);
}

kernel_interface::refusal kernel_interface::set_mtu(std::uint16_t mtu) {
  std::uint32_t const bytes = mtu;
  return change_link(0, IFLA_MTU, &bytes, sizeof bytes);
}

kernel_interface::refusal kernel_interface::set_up() { return change_link(IFF_UP, 0, nullptr, 0); }

kernel_interface::refusal kernel_interface::allow_ipv6() {
  // No netlink attribute enables IPv6.
  std::ofstream setting{"/proc/sys/net/ipv6/conf/" + name_ + "/disable_ipv6"};
  setting << "0" << std::flush;
  if (!setting) return "disable_ipv6 of it cannot be written below /proc/sys/net/ipv6/conf";
  return std::nullopt;
}

int kernel_interface::change_address(int command, address_bytes const& address, unsigned length) const {
  bool const adds = command == RTM_NEWADDR;
  request<ifaddrmsg> asked{static_cast<std::uint16_t>(command),
                           static_cast<std::uint16_t>(adds ? NLM_F_CREATE | NLM_F_EXCL : 0)};
  asked.body.ifa_family = static_cast<std::uint8_t>(address.family);
  asked.body.ifa_prefixlen = static_cast<std::uint8_t>(length);
  asked.body.ifa_flags = address.family == AF_INET6 ? IFA_F_NODAD : 0;
  asked.body.ifa_index = static_cast<std::uint32_t>(index_);
  asked.add(IFA_LOCAL, address.bytes.data(), address.size);
  asked.add(IFA_ADDRESS, address.bytes.data(), address.size);
  return ask(&asked);
}

kernel_interface::refusal kernel_interface::add_address(address_bytes const& address, unsigned length,
                                                        existing how) const {
  int const result = change_address(RTM_NEWADDR, address, length);
  if (result != EEXIST) return refusal_of(result);
  if (how == existing::as_it_is) return std::nullopt;
  // The address is the kernel's own link-local one, and its duplicate address detection may still be running.
  if (int const kept = change_address(RTM_DELADDR, address, length); kept != 0) return refusal_of(kept);
  return refusal_of(change_address(RTM_NEWADDR, address, length));
}

kernel_interface::address_bytes kernel_interface::bytes_of(wire::ipv4_address address) {
  address_bytes made{.family = AF_INET, .size = 4, .bytes = {}};
  wire::store_be<std::uint32_t>(made.bytes.data(), address.number);
  return made;
}

kernel_interface::address_bytes kernel_interface::bytes_of(wire::ipv6_address address) {
  address_bytes made{.family = AF_INET6, .size = 16, .bytes = {}};
  wire::store_ipv6_address(made.bytes.data(), address);
  return made;
}

kernel_interface::refusal kernel_interface::add_address(wire::ipv4_address address, unsigned length, existing how) {
  return add_address(bytes_of(address), length, how);
}

kernel_interface::refusal kernel_interface::add_address(wire::ipv6_address address, unsigned length, existing how) {
  return add_address(bytes_of(address), length, how);
}

int kernel_interface::change_route(int command, ip_prefix const& to) const {
  constexpr std::uint32_t metric = 4096;
  bool const adds = command == RTM_NEWROUTE;
  auto const address = std::visit([](auto one) { return bytes_of(one); }, to.address);
  request<rtmsg> asked{static_cast<std::uint16_t>(command),
                       static_cast<std::uint16_t>(adds ? NLM_F_CREATE | NLM_F_EXCL : 0)};
  asked.body.rtm_family = static_cast<std::uint8_t>(address.family);
  asked.body.rtm_dst_len = static_cast<std::uint8_t>(to.length);
  asked.body.rtm_table = RT_TABLE_MAIN;
  asked.body.rtm_protocol = RTPROT_STATIC;
  asked.body.rtm_scope = address.family == AF_INET ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE;
  asked.body.rtm_type = RTN_UNICAST;
  asked.add(RTA_DST, address.bytes.data(), address.size);
  asked.add(RTA_OIF, &index_, sizeof index_);
  asked.add(RTA_PRIORITY, &metric, sizeof metric);
  return ask(&asked);
}

kernel_interface::refusal kernel_interface::add_route(ip_prefix const& to, existing how) {
  int const result = change_route(RTM_NEWROUTE, to);
  if (result == EEXIST && how == existing::as_it_is) return std::nullopt;
  return refusal_of(result);
}

kernel_interface::refusal kernel_interface::remove_route(ip_prefix const& to) {
  return refusal_of(change_route(RTM_DELROUTE, to));
}

kernel_interface::refusal kernel_interface::set_alias(std::string const& text) {
  if (text.size() > max_alias) return "the alias is too long";
  return change_link(0, IFLA_IFALIAS, text.data(), static_cast<std::uint16_t>(text.size()));
}

kernel_interface::refusal kernel_interface::remove() {
  request<ifinfomsg> asked{RTM_DELLINK, 0};
  asked.body.ifi_family = AF_UNSPEC;
  asked.body.ifi_index = index_;
  return refusal_of(ask(&asked));
}

kernel_interface::link kernel_interface::look() const {
  request<ifinfomsg> asked{RTM_GETLINK, 0};
  asked.header.nlmsg_flags = NLM_F_REQUEST;  // the answer is the message itself
  asked.body.ifi_family = AF_UNSPEC;
  asked.body.ifi_index = index_;
  alignas(nlmsghdr) std::array<std::byte, 32768> answer{};
  auto const refuse = [this](int error) {
    throw failure(fmt::format("kernel interface {}: the kernel does not describe it: {}", name_, words_of(error)));
  };
  if (::send(socket_, &asked, asked.header.nlmsg_len, 0) < 0) refuse(errno);
  auto const size = ::recv(socket_, answer.data(), answer.size(), 0);
  if (size < 0) refuse(errno);
  auto const* const said = reinterpret_cast<nlmsghdr const*>(answer.data());
  if (!NLMSG_OK(said, static_cast<std::uint32_t>(size)) || said->nlmsg_type != RTM_NEWLINK) refuse(EPROTO);
  link found;
  auto const* one = IFLA_RTA(static_cast<ifinfomsg const*>(NLMSG_DATA(said)));
  auto left = static_cast<std::uint32_t>(IFLA_PAYLOAD(said));
  for (; RTA_OK(one, left); one = RTA_NEXT(one, left)) {
    auto const* const value = static_cast<char const*>(RTA_DATA(one));
    if (one->rta_type == IFLA_CARRIER) found.has_carrier = *value != 0;
    if ((one->rta_type & NLA_TYPE_MASK) == IFLA_XDP) found.has_xdp_program = is_xdp_attached(one);
    // The kernel's text ends with a zero byte.
    if (one->rta_type == IFLA_IFALIAS) found.alias.assign(value, ::strnlen(value, RTA_PAYLOAD(one)));
  }
  return found;
}

}  // namespace packetwarp
