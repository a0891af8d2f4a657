#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs everything that packetwarp's build and tests need. Safe to run again: installed parts are left alone.
#   distribution packages  with apt-get, only the missing ones (needs root or sudo)
#   .venv                  CMake, ninja, Python tools (tests: scapy, pytest; reports: rich, matplotlib, PyYAML), and all
#                          that these need, at the versions and with the hashes in python/requirements*.txt
#   .venv/cuda             link to an installed CUDA toolkit >= 12.4, else to one from PyPI
set -euo pipefail
cd "$(dirname "$0")/.."

PACKAGES=(
  ca-certificates g++ make pkg-config git python3 python3-venv
  dpdk libdpdk-dev dpdk-dev libpcap-dev libnuma-dev
  libcli11-dev libyaml-cpp-dev libpcre2-dev zlib1g-dev nlohmann-json3-dev libfmt-dev libspdlog-dev libgtest-dev libgmock-dev libhyperscan-dev
  libbenchmark-dev clang-14 libclang-rt-14-dev lld-14 clang-format-14 clang-tidy-14
  iproute2 iputils-ping nftables bind9-dnsutils dnsmasq-base tcpdump tshark curl iperf3 ethtool procps tmux shellcheck ccache libfaketime
)

say() { printf 'setup: %s\n' "$*"; }
die() { printf 'setup: error: %s\n' "$*" >&2; exit 1; }

install_packages() {
  command -v apt-get >/dev/null || die "apt-get not found: install these by hand, then run 'make build': ${PACKAGES[*]}"
  local missing=() installed
  installed=$(dpkg-query -W -f='${Package} ${Status}\n' "${PACKAGES[@]}" 2>/dev/null || true)
  for package in "${PACKAGES[@]}"; do
    grep -q "^$package .*ok installed\$" <<<"$installed" || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "these packages are missing, and installing them needs root: ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  "${as_root[@]}" apt-get update -qq || say "apt-get update failed; trying the lists that are here"
  # Releases later than Debian 12 carry clang under a newer number only; fall back to the default one.
  local wanted=()
  for package in "${missing[@]}"; do
    if apt-cache show "$package" >/dev/null 2>&1; then wanted+=("$package")
    else case $package in
      clang-14) wanted+=(clang) ;;
      libclang-rt-14-dev) wanted+=(libclang-rt-dev) ;;
      lld-14) wanted+=(lld) ;;
      clang-format-14) wanted+=(clang-format) ;;
      clang-tidy-14) wanted+=(clang-tidy) ;;
      *) die "this distribution has no package '$package'; packetwarp is built on Debian 12/13 and Ubuntu 24.04" ;;
    esac; fi
  done
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${wanted[@]}" >/dev/null
}

# A file's content hash shows whether the virtual environment already has the pinned packages.
pip_install() {
  local stamp
  stamp=.venv/.installed-$(cat "$@" | sha256sum | cut -c1-16)
  [ -f "$stamp" ] && return
  local args=()
  for file in "$@"; do args+=(-r "$file"); done
  say "installing $(sed -n 's/^\([a-z][^ ]*==[^ ]*\).*/\1/p' "$@" | tr '\n' ' ')"
  .venv/bin/pip install --quiet --disable-pip-version-check --require-hashes "${args[@]}"
  touch "$stamp"
}

# Prints the root of an installed toolkit that compiles C++20 for sm_90, or nothing.
installed_toolkit() {
  local nvcc
  for nvcc in "${CUDA_HOME:-}/bin/nvcc" "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc; do
    [ -x "$nvcc" ] || continue
    local release
    release=$("$nvcc" --version | sed -n 's/.*release \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
    set -- $release
    if [ "${1:-0}" -gt 12 ] || { [ "${1:-0}" -eq 12 ] && [ "${2:-0}" -ge 4 ]; }; then
      dirname "$(dirname "$(readlink -f "$nvcc")")"
      return
    fi
    say "ignoring $nvcc: CUDA ${1:-?}.${2:-?} is older than 12.4" >&2
  done
}

set_up_cuda() {
  if [ -x .venv/cuda/bin/nvcc ] && [ -x .venv/cuda/bin/cuobjdump ]; then return; fi
  local root
  root=$(installed_toolkit)
  if [ -z "$root" ]; then
    pip_install python/requirements-cuda.txt
    root=$(echo "$PWD"/.venv/lib/python3*/site-packages/nvidia/cu13)
    # The PyPI toolkit has no lib64 and only versioned runtime libraries; CMake and nvcc look for the usual names.
    ln -sfn lib "$root/lib64"
    ln -sfn libcudart.so.13 "$root/lib/libcudart.so"
  fi
  ln -sfn "$root" .venv/cuda
  say "CUDA compiler: $(.venv/cuda/bin/nvcc --version | sed -n 's/.*release //p') in $(readlink -f .venv/cuda)"
}

set_up_python() {
  [ -x .venv/bin/python3 ] || /usr/bin/python3 -m venv .venv
  pip_install python/requirements-build.txt python/requirements.txt
  set_up_cuda
}

# apt-get and pip download, and unpack with one processor each: both at once, where Python is already complete.
if /usr/bin/python3 -c 'import ensurepip' 2>/dev/null; then
  set_up_python &
  python=$!
  trap 'kill $python 2>/dev/null || true' EXIT
  install_packages
  wait $python
  trap - EXIT
else
  install_packages
  set_up_python
fi
