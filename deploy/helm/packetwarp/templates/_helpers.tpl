{{/* SPDX-License-Identifier: Apache-2.0 */}}
{{- define "packetwarp.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "packetwarp.selector" -}}
app.kubernetes.io/name: packetwarp
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "packetwarp.labels" -}}
{{ include "packetwarp.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "packetwarp.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* The profiles of SR-IOV's device plugin, whose pods have resources by name. */}}
{{- define "packetwarp.hasResources" -}}
{{- if has .Values.profile (list "vfio" "mlx5" "mlx5-gpu") }}yes{{ end -}}
{{- end -}}

{{- define "packetwarp.hasGpu" -}}
{{- if or (eq .Values.profile "mlx5-gpu") (and (eq .Values.profile "dra") (gt (int .Values.gpus) 0)) }}yes{{ end -}}
{{- end -}}

{{/* SYS_NICE is there for seccomp: RuntimeDefault refuses get_mempolicy and set_mempolicy without it, by which DPDK places hugepages.
A user other than root does not get the capability itself, because packetwarp's file does not have it. */}}
{{- define "packetwarp.capabilities" -}}
{{- $of := dict "af_packet" (list "NET_ADMIN" "NET_RAW") "vfio" (list "IPC_LOCK" "SYS_NICE") "dra" (list "IPC_LOCK" "SYS_NICE") -}}
{{- $mlx5 := list "IPC_LOCK" "NET_ADMIN" "NET_RAW" "SYS_NICE" -}}
{{- $needed := get $of .Values.profile | default $mlx5 -}}
{{- if and (eq .Values.profile "dra") (ne .Values.dra.vfDriver "vfio-pci") }}{{ $needed = $mlx5 }}{{ end -}}
{{- concat $needed .Values.extraCapabilities | uniq | sortAlpha | toJson -}}
{{- end -}}

{{/* NetworkAttachmentDefinition of an interface: one that exists, the chart's own ("attach"), or the SR-IOV operator's. */}}
{{- define "packetwarp.network" -}}
{{- if .interface.network -}}
{{ .interface.network }}
{{- else if or .interface.attach (and .root.Values.sriovOperator.enabled (include "packetwarp.hasResources" .root)) -}}
{{ include "packetwarp.name" .root }}-{{ .interface.name }}
{{- end -}}
{{- end -}}

{{/* Multus's annotation: a list of networks, with the interface's name in the pod where the kernel has one there. */}}
{{- define "packetwarp.networks" -}}
{{- $networks := list -}}
{{- range .Values.interfaces -}}
{{- $path := include "packetwarp.network" (dict "root" $ "interface" .) | splitList "/" -}}
{{- if last $path -}}
{{- $network := dict "name" (last $path) -}}
{{- if gt (len $path) 1 }}{{ $_ := set $network "namespace" (first $path) }}{{ end -}}
{{- if eq $.Values.profile "af_packet" }}{{ $_ := set $network "interface" .name }}{{ end -}}
{{- $networks = append $networks $network -}}
{{- end -}}
{{- end -}}
{{- if $networks }}{{ toJson $networks }}{{ end -}}
{{- end -}}
