#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Collects the installed dpdk-testpmd, the libraries and drivers it needs, and the bench's Python package into
# build/testpmd, so that both programs can be compared on a machine where nothing is installed:
#   PYTHONPATH=build/testpmd/python python3 python/bench_l2fwd.py --testpmd build/testpmd/dpdk-testpmd --packetwarp FILE
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(command -v dpdk-testpmd) || { printf 'carry_testpmd: dpdk-testpmd is not installed: make setup\n' >&2; exit 1; }
to=build/testpmd
rm -rf "$to"
mkdir -p "$to/lib" "$to/drivers"
cp "$(readlink -f "$program")" "$to/testpmd"
# The C library is the other machine's own: a newer one runs what was built for this one.
ldd "$program" | awk '$3 ~ /^\// { print $3 }' | grep -vE '/(libc|libm|libdl|libpthread|librt)\.so' |
  while read -r library; do cp -L "$library" "$to/lib/"; done
# Drivers that testpmd is not linked with are loaded; one loaded twice would register twice.
find "$(pkg-config --variable=libdir libdpdk)/dpdk/" -name 'librte_*.so.*' ! -name '*.so.*.*' \( -name '*net_null*' \
  -o -name '*net_ring*' -o -name '*net_pcap*' -o -name '*mempool_ring*' -o -name '*bus_vdev*' \) | while read -r driver; do
  [ -e "$to/lib/$(basename "$driver")" ] || cp -L "$driver" "$to/drivers/$(basename "${driver%.so.*}").so"
done
cat >"$to/dpdk-testpmd" <<'WRAPPER'
#!/usr/bin/env bash
here=$(dirname "$(readlink -f "$0")")
export LD_LIBRARY_PATH=$here/lib
exec "$here/testpmd" -d "$here/drivers" "$@"
WRAPPER
chmod +x "$to/dpdk-testpmd"
.venv/bin/pip install --quiet --disable-pip-version-check --target "$to/python" "$(grep '^rich==' python/requirements.in)"
printf 'carry_testpmd: %s, %s\n' "$to" "$(du -sh "$to" | cut -f1)"
