#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/rdma_test.sh [PACKETWARP]: packetwarp rdma-bw beside Debian's perftest, which runs on Linux's software
# RDMA device in a guest. QEMU, a kernel, busybox and perftest of Debian 13 are unpacked under build/rdma, and none of them
# is installed. If they are not available, a line gives the reason, and nothing is tested.
# ci/rdma_test.sh --unpack: only that. Then make test has a part of these tests.
#   PYTEST_ADDOPTS   more options for pytest, such as "-k verbs"
#   RDMA_FOLDER      the folder for all of it (default: build/rdma)
set -euo pipefail
cd "$(dirname "$0")/.."
unpacks_only=no
if [ "${1:-}" = --unpack ]; then
  unpacks_only=yes
  shift
fi
program=$(realpath -m "${1:-build/packetwarp}")
[ $unpacks_only = yes ] || [ -x "$program" ] ||
  { printf 'rdma-test: error: %s does not exist: build it first (make build)\n' "$program" >&2; exit 1; }

# The tools for unpacking and packing, of this machine's own distribution.
TOOLS=(mmdebstrap cpio kmod xz-utils)
RELEASE=trixie
folder=${RDMA_FOLDER:-build/rdma}
debian=$folder/debian

skip() { printf 'rdma-test: skipped, nothing was tested: %s\n' "$*"; exit 0; }
# With several names command -v is content with one.
have_tools() {
  local tool
  for tool in mmdebstrap cpio depmod xz; do command -v "$tool" >/dev/null || return 1; done
}
install_tools() {
  have_tools && return
  command -v apt-get >/dev/null || skip "${TOOLS[*]} are missing, and there is no apt-get to install them"
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${TOOLS[@]}" >/dev/null 2>"$folder/apt.log" || true
  have_tools || skip "${TOOLS[*]} cannot be installed: $(tail -1 "$folder/apt.log")"
}
unpack() {
  [ -f "$debian/complete" ] && return
  rm -rf "$debian"
  printf 'rdma-test: unpacking QEMU, a kernel and perftest of Debian %s under %s\n' "$RELEASE" "$debian"
  mmdebstrap --quiet --variant=extract --include=qemu-system-x86,seabios,linux-image-amd64,busybox-static,perftest,ibverbs-providers \
    "$RELEASE" "$debian" 2>"$folder/mmdebstrap.log" || skip "Debian $RELEASE cannot be had: $(tail -1 "$folder/mmdebstrap.log")"
  ln -sfn usr/lib "$debian/lib"
  ln -sfn usr/lib64 "$debian/lib64"
  depmod -b "$debian" "$(ls "$debian/usr/lib/modules")"
  touch "$debian/complete"
}

[ "$(uname -m)" = x86_64 ] || skip "the guest is an x86-64 machine, and shares this one's programs, which are for $(uname -m)"
[ "$(id -u)" -eq 0 ] || skip "a network namespace and a tap need root"
[ -e /dev/net/tun ] || skip "there is no /dev/net/tun, which a tap needs"
mkdir -p "$folder" build/reports
install_tools
unpack
[ $unpacks_only = no ] || exit 0
status=0
.venv/bin/python3 -m pytest tests/rdma/perftest -q -rs -p no:cacheprovider --basetemp "$(realpath "$folder")/tests" \
  --junit-xml build/reports/rdma.xml --packetwarp "$program" --debian "$debian" || status=$?
# 43: all tests were skipped.
[ $status -ne 43 ] || skip "pytest says why above"
[ $status -eq 0 ] || { printf 'rdma-test: failed after %d s\n' $SECONDS; exit 1; }
printf 'rdma-test: passed in %d s\n' $SECONDS
