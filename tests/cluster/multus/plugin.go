// SPDX-License-Identifier: Apache-2.0

//go:build tools

// Names Multus, whose version and dependencies go.mod and go.sum have.
package tools

import _ "gopkg.in/k8snetworkplumbingwg/multus-cni.v4/cmd/multus"
