#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/nic_test.sh [PACKETWARP]: packetwarp on NICs that QEMU plays: in a guest, behind an IOMMU, by vfio-pci. QEMU, a
# kernel and busybox of Debian 13 are unpacked under build/nic, and none of them is installed. If they are not
# available, a line gives the reason, and nothing is tested.
#   PYTEST_ADDOPTS   more options for pytest, such as "-k igb"
#   NIC_FOLDER       the folder for all of it (default: build/nic)
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-build/packetwarp}")
[ -x "$program" ] || { printf 'nic-test: error: %s does not exist: build it first (make build)\n' "$program" >&2; exit 1; }

# The tools for unpacking and packing, of this machine's own distribution.
TOOLS=(mmdebstrap cpio kmod xz-utils)
RELEASE=trixie
folder=${NIC_FOLDER:-build/nic}
debian=$folder/debian

skip() { printf 'nic-test: skipped, nothing was tested: %s\n' "$*"; exit 0; }
have_tools() { command -v mmdebstrap cpio depmod xz >/dev/null; }
install_tools() {
  have_tools && return
  command -v apt-get >/dev/null || skip "${TOOLS[*]} are missing, and there is no apt-get to install them"
  [ "$(id -u)" -eq 0 ] || skip "${TOOLS[*]} are missing, and installing them needs root"
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${TOOLS[@]}" >/dev/null 2>"$folder/apt.log" || true
  have_tools || skip "${TOOLS[*]} cannot be installed: $(tail -1 "$folder/apt.log")"
}
unpack() {
  [ -f "$debian/complete" ] && return
  rm -rf "$debian"
  printf 'nic-test: unpacking QEMU and a kernel of Debian %s under %s\n' "$RELEASE" "$debian"
  mmdebstrap --quiet --variant=extract --include=qemu-system-x86,seabios,linux-image-amd64,busybox-static "$RELEASE" "$debian" \
    2>"$folder/mmdebstrap.log" || skip "Debian $RELEASE cannot be had: $(tail -1 "$folder/mmdebstrap.log")"
  ln -sfn usr/lib "$debian/lib"
  depmod -b "$debian" "$(ls "$debian/usr/lib/modules")"
  touch "$debian/complete"
}

[ "$(uname -m)" = x86_64 ] || skip "the guest is an x86-64 machine, and shares this one's programs, which are for $(uname -m)"
mkdir -p "$folder" build/reports
install_tools
unpack
# Two guests at a time: each has one thread. Both halves take about the same time.
HALVES=("e1000e,igb,unprepared" "igb-vf,vmxnet3,virtio-net")
# In a process of its own, which becomes pytest.
half() {
  exec .venv/bin/python3 -m pytest tests/nic -q -rs -p no:cacheprovider --basetemp "$(realpath "$folder")/tests$1" \
    --junit-xml "build/reports/nic$1.xml" --packetwarp "$program" --debian "$debian" --devices "${HALVES[$1]}" >"$folder/half$1.log" 2>&1
}
# 5: no test was selected. 43: all tests were skipped.
is_passed() { [ "$1" -eq 0 ] || [ "$1" -eq 5 ] || [ "$1" -eq 43 ]; }
trap 'kill $(jobs -p) 2>/dev/null && wait || true' EXIT
running=()
for n in "${!HALVES[@]}"; do half "$n" & running+=($!); done
failed=0 tested=0
for n in "${!HALVES[@]}"; do
  status=0
  wait "${running[$n]}" || status=$?
  cat "$folder/half$n.log"
  is_passed $status || failed=1
  [ $status -eq 5 ] || [ $status -eq 43 ] || tested=1
done
[ $failed -eq 0 ] || { printf 'nic-test: failed after %d s\n' $SECONDS; exit 1; }
[ $tested -eq 1 ] || skip "each test says why above"
printf 'nic-test: passed in %d s\n' $SECONDS
