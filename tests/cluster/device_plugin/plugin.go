// SPDX-License-Identifier: Apache-2.0

//go:build tools

// Names the SR-IOV network device plugin, whose version and dependencies go.mod and go.sum have.
package tools

import _ "github.com/k8snetworkplumbingwg/sriov-network-device-plugin/cmd/sriovdp"
