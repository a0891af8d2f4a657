#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/nic_test.sh [PACKETWARP]: packetwarp on NICs that QEMU plays: in a guest, behind an IOMMU, by vfio-pci. QEMU, a
# kernel and busybox of Debian 13 are unpacked under build/nic, and none of them is installed. If they are not
# available, a line gives the reason, and nothing is tested.
# ci/nic_test.sh --unpack: only that.
#   PYTEST_ADDOPTS   more options for pytest, such as "-k igb"
#   NIC_FOLDER       the folder for all of it (default: build/nic)
set -euo pipefail
cd "$(dirname "$0")/.."
unpacks_only=no
if [ "${1:-}" = --unpack ]; then
  unpacks_only=yes
  shift
fi
program=$(realpath -m "${1:-build/packetwarp}")
[ $unpacks_only = yes ] || [ -x "$program" ] ||
  { printf 'nic-test: error: %s does not exist: build it first (make build)\n' "$program" >&2; exit 1; }

# The tools for unpacking and packing, of this machine's own distribution.
TOOLS=(mmdebstrap cpio kmod xz-utils)
RELEASE=trixie
folder=${NIC_FOLDER:-build/nic}
debian=$folder/debian

skip() { printf 'nic-test: skipped, nothing was tested: %s\n' "$*"; exit 0; }
have_tools() {
  local tool
  for tool in mmdebstrap cpio depmod xz; do command -v "$tool" >/dev/null || return 1; done
}
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
[ $unpacks_only = no ] || exit 0
# Three guests at a time, each with a part of the tests of a device: a guest has one thread, and waits for much of the time.
PARTS=(1 2 3)
# In a process of its own, which becomes pytest.
part() {
  exec .venv/bin/python3 -m pytest tests/nic -q -rs -p no:cacheprovider --basetemp "$(realpath "$folder")/tests$1" \
    --junit-xml "build/reports/nic$1.xml" --packetwarp "$program" --debian "$debian" --part "$1" >"$folder/part$1.log" 2>&1
}
# The time of a device is that of the part that takes longest.
device_times() {
  awk '/^nic-test: [a-z0-9-]+: [0-9]+ s,/ { if (!($2 in most)) order[++devices] = $2; if ($3 > most[$2]) most[$2] = $3; cpu[$2] += $5 }
    END { for (i = 1; i <= devices; ++i) printf "nic-test: %s %d s; its guests together %d s on a CPU\n", order[i], most[order[i]], cpu[order[i]] }' \
    "$folder"/part*.log
}
# 5: no test was selected. 43: all tests were skipped.
is_passed() { [ "$1" -eq 0 ] || [ "$1" -eq 5 ] || [ "$1" -eq 43 ]; }
trap 'kill $(jobs -p) 2>/dev/null && wait || true' EXIT
running=()
for n in "${PARTS[@]}"; do part "$n" & running[n]=$!; done
failed=0 tested=0
for n in "${PARTS[@]}"; do
  status=0
  wait "${running[$n]}" || status=$?
  cat "$folder/part$n.log"
  is_passed $status || failed=1
  [ $status -eq 5 ] || [ $status -eq 43 ] || tested=1
done
device_times
[ $failed -eq 0 ] || { printf 'nic-test: failed after %d s\n' $SECONDS; exit 1; }
[ $tested -eq 1 ] || skip "each test says why above"
printf 'nic-test: passed in %d s\n' $SECONDS
