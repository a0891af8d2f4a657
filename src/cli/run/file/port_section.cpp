// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/file/port_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "port/device/requested_pci.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::string pci_address_at(yaml_place const& place) {
  auto const text = place.text();
  auto address = pci_address(text);
  if (!address) place.refuse(fmt::format("'{}' is no address on PCI such as 0000:01:10.0", text));
  return *std::move(address);
}

[[nodiscard]] std::vector<std::string> items_of(std::string_view list) {
  std::vector<std::string> all;
  while (!list.empty()) {
    auto const item = list.substr(0, list.find(','));
    if (!item.empty()) all.emplace_back(item);
    list.remove_prefix(std::min(item.size() + 1, list.size()));
  }
  return all;
}

}  // namespace

std::vector<std::string> variables_of_resource(std::string const& resource) {
  auto name = "PCIDEVICE_" + resource;
  std::ranges::transform(name, name.begin(), [](unsigned char c) {
    return c == '.' || c == '/' ? '_' : static_cast<char>(std::toupper(c));
  });
  auto plain = name;
  std::ranges::replace(plain, '-', '_');
  return plain == name ? std::vector{name} : std::vector{name, plain};
}

std::string port_reader::next_of(yaml_place const& place) {
  auto const resource = place.text();
  auto const names = variables_of_resource(resource);
  std::optional<std::string> list;
  for (auto const& name : names) {
    if (!list) list = variables_(name);
  }
  auto const& variable = names.front();
  if (!list) {
    place.refuse(fmt::format(
        "this process has no device of {} ({} is not set): set resources.limits.'{}' of the container, and the network "
        "of that resource in the pod's annotation k8s.v1.cni.cncf.io/networks",
        resource, variable, resource));
  }
  auto const addresses = items_of(*list);
  auto const n = taken_[resource]++;
  if (n >= addresses.size()) {
    place.refuse(fmt::format(
        "{} has {} device{} ({}={}), and interface {} of the file asks for one more: set "
        "resources.limits.'{}' to {} or more",
        resource, addresses.size(), addresses.size() == 1 ? "" : "s", variable, *list, n + 1, resource, n + 1));
  }
  auto address = pci_address(addresses[n]);
  if (!address) {
    place.refuse(
        fmt::format("{}={}: '{}' is no address on PCI such as 0000:01:10.0; only device plugins that give such "
                    "addresses can be named here",
                    variable, *list, addresses[n]));
  }
  return *std::move(address);
}

std::string port_reader::read(yaml_place const& place) {
  if (!place.is_map()) return place.text();
  place.require_keys({"pci", "resource", "arguments"});
  auto const pci = place.find("pci");
  auto const resource = place.find("resource");
  if (pci.has_value() == resource.has_value()) {
    place.refuse("give one of pci: ADDRESS and resource: NAME, such as {pci: 0000:01:10.0}");
  }
  auto const arguments = place.find("arguments");
  devices_.push_back({.address = pci ? pci_address_at(*pci) : next_of(*resource),
                      .arguments = arguments ? arguments->text() : std::string{},
                      .place = place});
  return devices_.back().address;
}

}  // namespace packetwarp
