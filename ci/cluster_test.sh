#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/cluster_test.sh [PACKETWARP]: the chart and the manifests of deploy/ against a real control plane of Kubernetes on
# 127.0.0.1, and, as root, on a node in QEMU. Its programs, and the resource definitions of other projects, come from Go's module proxy by version and
# hash, and stay under build/cluster; none of them is installed. If they are not available, a line gives the reason,
# and nothing is tested.
#   PYTEST_ADDOPTS   more options for pytest, such as "-k mutations"
#   CLUSTER_FOLDER   the folder for all of it (default: build/cluster); CLUSTER_GO: of Go's caches (default: go in it)
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-build/packetwarp}")
[ -x "$program" ] || { printf 'cluster-test: error: %s does not exist: build it first (make build)\n' "$program" >&2; exit 1; }
mkdir -p "${CLUSTER_FOLDER:=build/cluster}" "${CLUSTER_GO:=$CLUSTER_FOLDER/go}" build/reports
folder=$(realpath "$CLUSTER_FOLDER")
caches=$(realpath "$CLUSTER_GO")
source=tests/cluster/program
KUBERNETES=v1.34.4
HELM=v4.0.5
# Programs of the node; tests/cluster has a folder with the go.mod of each.
MULTUS=gopkg.in/k8snetworkplumbingwg/multus-cni.v4/cmd/multus
DEVICE_PLUGIN=github.com/k8snetworkplumbingwg/sriov-network-device-plugin/cmd/sriovdp
RELEASE=trixie
PACKAGES=qemu-system-x86,seabios,linux-image-amd64,busybox-static,containerd,runc,containernetworking-plugins,iproute2,kmod,pci.ids
# Module, version, and the hash of go.sum: the resource definitions (CRDs) that the objects of the chart are judged by.
DEFINITIONS=(
  "github.com/k8snetworkplumbingwg/sriov-network-operator v1.4.0 h1:s7lf2nexiEbDJwmmhX5+ML8eVaU3XwvmMmY1gu92k+0="
  "github.com/Mellanox/network-operator v1.4.0 h1:+ymCYRwPAqN9aCScbKOXSpHDm2MLsf8LUsUSRlHe4N4="
  "github.com/k8snetworkplumbingwg/network-attachment-definition-client v1.7.5 h1:CELpSMPSyicFBaVsxROmfrWlu9yr3Dduk+y7vGrIsx8="
  "github.com/prometheus-operator/prometheus-operator v0.85.0 h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s="
)

skip() { printf 'cluster-test: skipped, nothing was tested: %s\n' "$*"; exit 0; }
go_of_it() {
  env GOPATH="$caches/path" GOCACHE="$caches/cache" GOFLAGS="-modcacherw -mod=readonly" GOTOOLCHAIN=local CGO_ENABLED=0 nice -n 10 go "$@"
}
# Versions that the projects' own builds write into their programs.
versions() {
  local minor=${KUBERNETES#v1.}
  minor=${minor%%.*}
  printf -- '-X %s ' "k8s.io/component-base/version.gitVersion=$KUBERNETES" k8s.io/component-base/version.gitMajor=1 \
    "k8s.io/component-base/version.gitMinor=$minor" helm.sh/helm/v4/pkg/chart/common.k8sVersionMajor=1 \
    "helm.sh/helm/v4/pkg/chart/common.k8sVersionMinor=$minor" "helm.sh/helm/v4/internal/version.version=$HELM"
}
# The program, by the hash of its sources; the name by which it is called says what it does.
build() {
  local hash
  hash=$(cat "$source"/{go.mod,go.sum,main.go} | sha256sum | cut -c1-16)
  built=$folder/bin/kubernetes-$hash
  mkdir -p "$folder/bin"
  if [ ! -x "$built" ]; then
    printf 'cluster-test: building Kubernetes %s, etcd and helm %s: 10 CPU minutes, 6 GB of caches, once\n' "$KUBERNETES" "$HELM"
    (cd "$source" && go_of_it build -trimpath -o "$built.new" -ldflags "-s -w $(versions)" .) 2>"$folder/build.log" ||
      skip "Kubernetes cannot be built: $(tail -1 "$folder/build.log")"
    mv "$built.new" "$built"
  fi
  local name
  for name in etcd kube-apiserver kube-controller-manager kube-scheduler kubelet kubectl helm; do ln -sfn "${built##*/}" "$folder/bin/$name"; done
}
# Writes the folders of the modules, one a line.
download() {
  local module version hash said
  : >"$folder/definitions"
  for one in "${DEFINITIONS[@]}"; do
    read -r module version hash <<<"$one"
    said=$(cd "$source" && go_of_it mod download -json "$module@$version" 2>&1) || skip "$module $version cannot be had: $(tail -1 <<<"$said")"
    grep -qF "\"Sum\": \"$hash\"" <<<"$said" || { printf 'cluster-test: error: %s %s has another hash than %s\n' "$module" "$version" "$hash" >&2; exit 1; }
    sed -n 's/^\t"Dir": "\(.*\)",$/\1/p' <<<"$said" >>"$folder/definitions"
  done
}

# The node's parts. A line names the missing one, and the node's tests are skipped.
leave_out() { printf 'cluster-test: the node is left out: %s\n' "$*"; }
# part NAME FOLDER PACKAGE: a program of the node, built once.
part() {
  [ ! -x "$folder/bin/$1" ] || return 0
  (cd "tests/cluster/$2" && go_of_it build -trimpath -ldflags "-s -w" -o "$folder/bin/$1" "$3") 2>"$folder/$1.log"
}
prepare_node() {
  local debian=$folder/debian
  part sriovdp device_plugin "$DEVICE_PLUGIN" || { leave_out "no device plugin: $(tail -1 "$folder/sriovdp.log")"; return; }
  part multus multus "$MULTUS" || { leave_out "no Multus: $(tail -1 "$folder/multus.log")"; return; }
  [ ! -f "$debian/complete" ] || return 0
  local tool
  for tool in mmdebstrap depmod cpio mke2fs; do
    command -v $tool >/dev/null || { leave_out "$tool is missing"; return; }
  done
  rm -rf "$debian"
  printf 'cluster-test: unpacking QEMU, containerd and a kernel of Debian %s under %s\n' "$RELEASE" "$debian"
  mmdebstrap --quiet --variant=extract --include="$PACKAGES" "$RELEASE" "$debian" 2>"$folder/mmdebstrap.log" ||
    { leave_out "Debian $RELEASE cannot be had: $(tail -1 "$folder/mmdebstrap.log")"; return; }
  ln -sfn usr/lib "$debian/lib"
  depmod -b "$debian" "$(ls "$debian/usr/lib/modules")"
  touch "$debian/complete"
}

command -v go >/dev/null || skip "go is missing: Kubernetes $KUBERNETES is built by Go 1.24 or later (Debian: golang-1.24 of trixie; https://go.dev/dl)"
command -v openssl >/dev/null || skip "openssl is missing"
[ "$(uname -m)" = x86_64 ] || [ "$(uname -m)" = aarch64 ] || skip "Kubernetes is not built for $(uname -m) here"
build
download
prepare_node
status=0
.venv/bin/python3 -m pytest tests/cluster -q -rsP -p no:cacheprovider --basetemp "$folder/tests" --durations 10 \
  --junit-xml build/reports/cluster.xml --packetwarp "$program" --cluster "$folder" || status=$?
[ $status -eq 0 ] || { printf 'cluster-test: failed after %d s\n' $SECONDS; exit 1; }
printf 'cluster-test: passed in %d s\n' $SECONDS
