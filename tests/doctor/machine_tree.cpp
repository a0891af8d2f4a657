// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "doctor/machine_tree.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "base/error.h"

namespace packetwarp::doctor {
namespace {

namespace fs = std::filesystem;

std::string joined(std::vector<std::string> const& words) {
  std::string line;
  for (auto const& word : words) line += line.empty() ? word : " " + word;
  return line;
}

}  // namespace

void told_tools::prints(std::string const& words, std::string output) {
  install(words.substr(0, words.find(' ')));
  failures_.erase(words);
  output_[words] = std::move(output);
}

void told_tools::fails(std::string const& words, std::string message) {
  install(words.substr(0, words.find(' ')));
  failures_[words] = std::move(message);
}

std::string told_tools::output_of(std::vector<std::string> const& words) const {
  auto const line = joined(words);
  if (!is_installed(words.front())) throw failure(words.front() + " is not installed");
  if (auto const failed = failures_.find(line); failed != failures_.end()) throw failure(failed->second);
  auto const said = output_.find(line);
  if (said == output_.end()) throw failure("the test does not know '" + line + "'");
  return said->second;
}

void machine_tree::SetUp() {
  // Many small files for each test: in memory, if the machine has such a folder.
  fs::path const memory{"/dev/shm"};
  auto pattern = ((fs::is_directory(memory) ? memory : fs::temp_directory_path()) / "doctor_XXXXXX").string();
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  root_ = pattern;
  write_memory();
  write_cpus();
  write_process();
  write_devices();
}

void machine_tree::TearDown() { fs::remove_all(root_); }

void machine_tree::write(std::string const& path, std::string_view text) const {
  auto const place = root_ / path.substr(1);
  fs::create_directories(place.parent_path());
  std::ofstream{place, std::ios::binary} << text;
}

void machine_tree::link(std::string const& path, std::string const& target) const {
  auto const place = root_ / path.substr(1);
  fs::create_directories(place.parent_path());
  fs::remove(place);
  fs::create_symlink(target, place);
}

void machine_tree::remove(std::string const& path) const { fs::remove_all(root_ / path.substr(1)); }

void machine_tree::make_unreadable(std::string const& path) const {
  remove(path);
  fs::create_directories(root_ / path.substr(1));
}

void machine_tree::add_device(std::string const& bridges, std::string const& address) const {
  fs::create_directories(root_ / "sys/devices" / bridges / address);
  link("/sys/bus/pci/devices/" + address, "../../../devices/" + bridges + "/" + address);
}

std::vector<reading> machine_tree::all_of(std::string const& id) const {
  auto const reader = files();
  machine const m{
      .files = reader, .programs = programs_, .cuda = cuda_, .hugepage_bytes = hugepage_bytes_, .where = where_};
  std::vector<reading> all;
  for (auto const& one : examine(m, choose_checks(id))) all.push_back(one.seen);
  return all;
}

reading machine_tree::one_of(std::string const& id) const {
  auto const all = all_of(id);
  EXPECT_EQ(all.size(), 1u) << id;
  return all.empty() ? reading{} : all.front();
}

void machine_tree::write_memory() const {
  write("/proc/meminfo", "MemTotal:       33554432 kB\nMemFree:        16777216 kB\n");
  write("/proc/mounts",
        "proc /proc proc rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n"
        "hugetlbfs /dev/hugepages hugetlbfs rw,relatime,pagesize=1024M 0 0\n");
  write("/proc/swaps", "Filename Type Size Used Priority\n/dev/sda2 partition 8388604 0 -2\n");
  write("/proc/sys/vm/zone_reclaim_mode", "0\n");
  write("/proc/sys/vm/swappiness", "0\n");
  for (auto const node : {0, 1}) {
    auto const folder = fmt::format("/sys/devices/system/node/node{}", node);
    write(folder + "/meminfo",
          fmt::format("Node {0} MemTotal:       33554432 kB\nNode {0} MemFree: 16777216 kB\n", node));
    write(folder + "/cpulist", fmt::format("{}-{}\n", node * 4, node * 4 + 3));
    write(folder + "/hugepages/hugepages-2048kB/nr_hugepages", "0\n");
    write(folder + "/hugepages/hugepages-2048kB/free_hugepages", "0\n");
    write(folder + "/hugepages/hugepages-1048576kB/nr_hugepages", "8\n");
    write(folder + "/hugepages/hugepages-1048576kB/free_hugepages", "7\n");
  }
}

void machine_tree::write_cpus() const {
  write("/proc/cmdline", "BOOT_IMAGE=/vmlinuz ro isolcpus=2-7 nohz_full=2-7 rcu_nocbs=2-7 iommu=pt\n");
  write("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu constant_tsc nonstop_tsc avx2\n");
  write("/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
  write("/proc/sys/kernel/nmi_watchdog", "0\n");
  write("/proc/sys/kernel/soft_watchdog", "0\n");
  write("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
  write("/sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet acpi_pm \n");
  std::string const folder{cpus};
  for (auto const* list : {"/online", "/possible"}) write(folder + list, "0-7\n");
  for (auto const* list : {"/isolated", "/nohz_full"}) write(folder + list, "2-7\n");
  write(folder + "/smt/active", "0\n");
  write(folder + "/cpuidle/current_driver", "intel_idle\n");
  write(folder + "/intel_pstate/no_turbo", "0\n");
  for (unsigned cpu = 0; cpu < 8; ++cpu) {
    auto const place = fmt::format("{}/cpu{}", folder, cpu);
    write(place + "/topology/thread_siblings_list", fmt::format("{}\n", cpu));
    write(place + "/cpufreq/scaling_governor", "performance\n");
    for (auto const& [state, name, latency] : {std::tuple{0, "POLL", 0}, {1, "C1", 2}, {2, "C6", 133}}) {
      auto const idle = fmt::format("{}/cpuidle/state{}", place, state);
      write(idle + "/name", fmt::format("{}\n", name));
      write(idle + "/latency", fmt::format("{}\n", latency));
      write(idle + "/disable", state == 2 ? "1\n" : "0\n");
    }
  }
}

void machine_tree::write_process() const {
  write("/proc/self/status", "Name:\tpacketwarp\nCapEff:\t000001ffffffffff\nCpus_allowed_list:\t0-7\n");
  write("/proc/self/limits",
        "Limit                     Soft Limit           Hard Limit           Units     \n"
        "Max locked memory         unlimited            unlimited            bytes     \n");
  write("/proc/self/cgroup", "0::/a.slice/b.service\n");
  for (auto const* group : {"/a.slice", "/a.slice/b.service"}) {
    auto const folder = fmt::format("/sys/fs/cgroup{}", group);
    write(folder + "/cpu.max", "max 100000\n");
    for (auto const* name : {"/memory.max", "/hugetlb.2MB.max", "/hugetlb.1GB.max"}) write(folder + name, "max\n");
  }
}

void machine_tree::write_devices() {
  add_device("pci0000:b2/0000:b2:00.0/0000:b3:00.0/0000:b4:08.0", "0000:b5:00.0");
  add_device("pci0000:b2/0000:b2:00.0/0000:b3:00.0/0000:b4:10.0", "0000:b6:00.0");
  for (std::string const folder : {nic, gpu}) {
    bool const is_nic = folder == nic;
    write(folder + "/class", is_nic ? "0x020000\n" : "0x030200\n");
    write(folder + "/vendor", is_nic ? "0x15b3\n" : "0x10de\n");
    link(folder + "/driver", is_nic ? "/sys/bus/pci/drivers/mlx5_core" : "/sys/bus/pci/drivers/nvidia");
    write(folder + "/numa_node", "0\n");
    write(folder + "/iommu_group/type", "identity\n");
    for (auto const* which : {"/current_link", "/max_link"}) {
      write(folder + which + "_speed", "16.0 GT/s PCIe\n");
      write(folder + which + "_width", "16\n");
    }
    write(folder + "/config", config_space(0x5930));
  }
  write(std::string{nic} + "/net/enp181s0f0/mtu", "1500\n");
  write("/proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (dvs-builder)\n"
        "GCC version:  gcc version 12.2.0\n");
  write("/proc/driver/nvidia/params", "EnableMSI: 1\nRegistryDwords: \"Other=2;PeerMappingOverride=1;\"\n");
  write("/sys/module/nvidia_peermem/refcnt", "0\n");
  write("/sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
  link("/sys/class/infiniband/mlx5_0/device/driver", "/sys/bus/pci/drivers/mlx5_core");
  write("/dev/gdrdrv", "");
  write("/sys/module/ib_core/parameters/netns_mode", "N\n");
  programs_.prints(
      "mlxconfig -d 0000:b5:00.0 -e query CQE_COMPRESSION",
      "Device #1:\n----------\n\nDevice type:    ConnectX6DX\nConfigurations:         Default         Current "
      "        Next Boot\n*        CQE_COMPRESSION     BALANCED(0)     AGGRESSIVE(1)   AGGRESSIVE(1)\n"
      "The '*' shows parameters with next value different from default/current value.\n");
  programs_.fails("mlxconfig -d 0000:b5:00.0 -e query LINK_TYPE_P1",
                  "'mlxconfig': exit status 3: -E- The Device doesn't support LINK_TYPE_P1 parameter");
  programs_.prints("ethtool -a enp181s0f0",
                   "Pause parameters for enp181s0f0:\nAutonegotiate:\toff\nRX:\t\toff\nTX:\t\toff\n");
  programs_.prints("dmesg", "[    0.000000] Linux version 6.1.0\n[    1.234567] DMAR: IOMMU enabled\n");
}

std::string config_space(std::uint16_t control) {
  std::string bytes(256, '\0');
  bytes[0x06] = 0x10;  // it has capabilities,
  bytes[0x34] = 0x40;  // the first of them here: power management
  bytes[0x40] = 0x01;
  bytes[0x41] = 0x60;
  bytes[0x60] = 0x10;  // PCI Express
  bytes[0x68] = static_cast<char>(control & 0xff);
  bytes[0x69] = static_cast<char>(control >> 8);
  return bytes;
}

}  // namespace packetwarp::doctor
