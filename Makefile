# SPDX-License-Identifier: Apache-2.0
# The commands for a user; each runs its prerequisites first. CMake presets (CMakePresets.json) hold the build's options.
SECONDS_PER_FUZZER ?= 60
SOAK_SECONDS ?= 3600
CMAKE = .venv/bin/cmake

.PHONY: help setup build demo test test-end-to-end test-chains test-docs test-tools test-attacks test-others test-release test-threads lint format bench fuzz soak report package image gpu-test nic-test rdma-test scale-test cluster-test clean
help:
	@sed -n 's/^## //p' Makefile

## make setup     install the tools of the build (distribution packages, .venv with CMake and CUDA)
setup:
	@ci/setup.sh

## make build     build/packetwarp
build: setup
	@ci/build.sh release packetwarp
	@ln -sfn release/src/cli/packetwarp build/packetwarp

## make demo      forward a real capture, check every packet, then run at full rate
demo: build
	@ci/demo.sh build/packetwarp

## make test      each function end to end, attacks and unit tests, all under ASan and UBSan; needs no hardware
test: setup
	@ci/test.sh

## make test-end-to-end  all end-to-end tests by the release build
test-end-to-end: build
	@ci/test.sh end_to_end

## make test-chains  every chain of functions under ASan and UBSan, packet by packet
test-chains: setup
	@ci/test.sh chains

## make test-docs   the demo, and every command that the pages and the examples show
test-docs: build
	@ci/test.sh docs

## make test-tools  programs that measure, report, pack and deploy
test-tools: build
	@ci/test.sh tools

## make test-attacks  attacks, each beside a stranger's flow that must go on
test-attacks: build
	@ci/test.sh attacks

## make test-others  the last three at once
test-others: build
	@ci/test.sh others

## make test-release  the unit tests again, compiled like packetwarp itself
test-release: setup
	@ci/test.sh release

## make test-threads  the tests whose threads share memory, under ThreadSanitizer
test-threads: setup
	@ci/test.sh threads

## make lint      formatting, clang-tidy, include directions, shell scripts, documentation
lint: setup
	@ci/lint.sh

## make format    rewrite the sources in the form of .clang-format
format: setup
	@ci/lint.sh --fix

## make bench     rates beside dpdk-testpmd's and micro-benchmarks, into benchmarks/results/
bench: setup
	@ci/build.sh release
	@ci/bench.sh

## make report    one page and pictures of the results of packetwarp bench: RESULTS="FILE..." or the newest machine's
report: setup
	@.venv/bin/python3 python/report.py $(RESULTS)

## make fuzz      every fuzz target for SECONDS_PER_FUZZER=60 seconds
fuzz: setup
	@ci/fuzz.sh $(SECONDS_PER_FUZZER)

## make soak      attacks one by one in their long form, then all at once for SOAK_SECONDS=3600 seconds
soak: build
	@SOAK_SECONDS=$(SOAK_SECONDS) ci/soak.sh

## make package   one stripped static binary for another machine: build/packetwarp-<version>-linux-x86_64
package: setup
	@ci/package.sh

## make image     the same binary as an OCI image, without network and registry: build/packetwarp-<version>.oci.tar
image: setup
	@ci/image.sh

## make gpu-test  the tests that need a GPU, or a line that says there is none
gpu-test: build
	@ci/gpu_test.sh
	@ci/gpu_end_to_end.sh

## make nic-test  packetwarp on NICs that QEMU emulates, behind vfio-pci and an IOMMU; needs no hardware
nic-test: build
	@ci/nic_test.sh

## make rdma-test  rdma-bw and rdma-lat beside Debian's perftest on Linux's software RDMA device in a guest; needs root
rdma-test: build
	@ci/rdma_test.sh

## make scale-test  replicas with FRR beside them in network namespaces: 200 hosts, a failure, a drain, restarts; needs root and FRR
scale-test: build
	@ci/scale_test.sh

## make cluster-test  the chart against a real control plane of Kubernetes, and its pods on a node in QEMU; needs Go
cluster-test: build
	@ci/cluster_test.sh

## make clean     remove the build; the tools that setup installed stay
clean:
	rm -rf build
