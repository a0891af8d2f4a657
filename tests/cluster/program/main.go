// SPDX-License-Identifier: Apache-2.0
// Kubernetes' control plane, etcd, kubectl and helm in one program: the name that it is started by says which.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	helm "helm.sh/helm/v4/pkg/cmd"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

var commands = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllers.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"kubelet":                 func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) },
	"kubectl":                 kubectl.NewDefaultKubectlCommand,
}

func runHelm() int {
	command, err := helm.NewRootCmd(os.Stdout, os.Args[1:], helm.SetupLogging)
	if err != nil {
		fmt.Fprintln(os.Stderr, "helm:", err)
		return 1
	}
	err = command.Execute()
	if failed, ok := err.(helm.CommandError); ok {
		return failed.ExitCode
	}
	if err != nil {
		return 1
	}
	return 0
}

func main() {
	switch name := filepath.Base(os.Args[0]); name {
	case "etcd":
		etcdmain.Main(os.Args)
	case "helm":
		os.Exit(runHelm())
	default:
		command, ok := commands[name]
		if !ok {
			fmt.Fprintln(os.Stderr, "start this by the name of etcd, helm, kubectl, kubelet or one of kube-apiserver, kube-controller-manager, kube-scheduler")
			os.Exit(2)
		}
		os.Exit(cli.Run(command()))
	}
}
