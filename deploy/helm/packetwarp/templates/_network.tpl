{{/* SPDX-License-Identifier: Apache-2.0 */}}
{{/* The interfaces of packetwarp's file. dra: DPDK numbers the devices that the pod may open by their addresses on PCI. */}}
{{- define "packetwarp.interfaces" -}}
{{- $all := list -}}
{{- range $n, $interface := .Values.interfaces -}}
{{- $one := dict "name" .name "addresses" .addresses -}}
{{- if hasKey . "port" }}{{ $_ := set $one "port" .port }}
{{- else if eq $.Values.profile "af_packet" }}{{ $_ := set $one "port" (printf "net_af_packet%d" $n) }}
{{- else if eq $.Values.profile "dra" }}{{ $_ := set $one "port" $n }}
{{- else }}{{ $_ := set $one "port" (pick . "resource" "arguments") }}
{{- end -}}
{{- if .mtu }}{{ $_ := set $one "mtu" (int .mtu) }}{{ end -}}
{{- $all = append $all $one -}}
{{- end -}}
{{- toJson $all -}}
{{- end -}}

{{- define "packetwarp.eal" -}}
{{- $eal := list "--in-memory" -}}
{{- if eq .Values.profile "af_packet" -}}
{{- $eal = append $eal "--no-pci" -}}
{{- range $n, $interface := .Values.interfaces -}}
{{- if not (hasKey . "port") }}{{ $eal = append $eal (printf "--vdev=net_af_packet%d,iface=%s" $n .name) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- concat $eal .Values.extraEal | toJson -}}
{{- end -}}

{{/* Refuses a pool that has no block for each pod. A pool of /N has room for all blocks up to the first address after it. */}}
{{- define "packetwarp.requireBlocks" -}}
{{- $parts := splitList "/" .Values.nat44.pool -}}
{{- $length := int (last $parts) -}}
{{- $block := int .Values.nat44.block -}}
{{- if lt $block $length -}}
{{- fail (printf "nat44.block: a block of /%d is more than the pool %s; give %d to 32" $block .Values.nat44.pool $length) -}}
{{- end -}}
{{- $address := 0 -}}
{{- range splitList "." (first $parts) }}{{ $address = add (mul $address 256) (int .) }}{{ end -}}
{{- $size := 1 -}}
{{- range until (sub 32 $length | int) }}{{ $size = mul $size 2 }}{{ end -}}
{{- if ne (mod $address $size) 0 -}}
{{- fail (printf "nat44.pool: %s is no prefix: its host bits are not 0" .Values.nat44.pool) -}}
{{- end -}}
{{- $blocks := 1 -}}
{{- range until (sub $block $length | int) }}{{ $blocks = mul $blocks 2 }}{{ end -}}
{{- if gt (int64 .Values.replicas) (int64 $blocks) -}}
{{- fail (printf "replicas: the pool %s has %d blocks of /%d, and there are %d pods; give a larger nat44.pool, a smaller block (a greater nat44.block), or fewer replicas" .Values.nat44.pool $blocks $block (int .Values.replicas)) -}}
{{- end -}}
{{- end -}}

{{- define "packetwarp.nat44" -}}
{{- include "packetwarp.requireBlocks" . -}}
{{- $nat := dict "inside" .Values.nat44.inside "outside" .Values.nat44.outside -}}
{{- $_ := set $nat "pool" (list (printf "${block /%d of %s}" (int .Values.nat44.block) .Values.nat44.pool)) -}}
{{- if .Values.nat44.state.enabled }}{{ $_ := set $nat "state" "/var/lib/packetwarp/nat44.state" }}{{ end -}}
{{- mergeOverwrite $nat (deepCopy .Values.nat44.options) | toJson -}}
{{- end -}}

{{- define "packetwarp.dataPlane" -}}
{{- $of := dict "executor" "cpu" -}}
{{- if eq .Values.profile "af_packet" }}{{ $_ := set $of "poll_sleep" "1ms" }}{{ end -}}
{{- if include "packetwarp.hasGpu" . -}}
{{- $of = dict "executor" "persistent" "placement" "device" "gpus" (untilStep 0 (int .Values.gpus) 1) -}}
{{- end -}}
{{- $all := mergeOverwrite $of (deepCopy .Values.dataPlane) -}}
{{- if and (eq $all.executor "cpu") (eq (default "host" $all.placement) "host") (not (hasKey .Values.dataPlane "gpus")) -}}
{{- $_ := unset $all "gpus" -}}
{{- end -}}
{{- $all | toJson -}}
{{- end -}}

{{/* The file of packetwarp run (docs/run.md). mergeOverwrite takes the user's 0, false and "" too; merge would not. */}}
{{- define "packetwarp.file" -}}
{{- $address := .Values.metrics.address -}}
{{- if contains ":" $address }}{{ $address = printf "[%s]" $address }}{{ end -}}
{{- $file := dict "lcores" "allowed" "metrics" (printf "%s:%d" $address (int .Values.metrics.port)) -}}
{{- $_ := set $file "eal" (include "packetwarp.eal" . | fromJsonArray) -}}
{{- $_ := set $file "data_plane" (include "packetwarp.dataPlane" . | fromJson) -}}
{{- $_ := set $file "interfaces" (include "packetwarp.interfaces" . | fromJsonArray) -}}
{{- if .Values.routes }}{{ $_ := set $file "routes" .Values.routes }}{{ end -}}
{{- if .Values.nat44.enabled }}{{ $_ := set $file "nat44" (include "packetwarp.nat44" . | fromJson) }}{{ end -}}
{{- mergeOverwrite $file (deepCopy .Values.extraFile) | toYaml -}}
{{- end -}}

{{/* The keys of the file's sections that packetwarp reads again while it runs (docs/run.md, Reload). nat44.pool is none of them
here: a pool that moves takes room for its old and its new addresses, which the pods may lack. */}}
{{- define "packetwarp.reloaded" -}}
nat44: [pooling, filtering, timeouts, per_host, per_prefix, static, forwarding, log_room, state_period]
rules: [file, isolate]
detect: [models, large, action, dscp, punt_rate, mirror_rate, events_period, events_rate]
inspect: [rules, variables, unusable, verdicts]
{{- end -}}

{{/* The part of the file for which pods start anew. A section stays, without these keys: packetwarp forwards by another chain
when one comes or goes. */}}
{{- define "packetwarp.start" -}}
{{- $file := omit (include "packetwarp.file" . | fromYaml) "routes" "neighbours" -}}
{{- range $section, $keys := include "packetwarp.reloaded" . | fromYaml -}}
{{- range $key := $keys -}}
{{- if kindIs "map" (get $file $section) }}{{ $_ := unset (get $file $section) $key }}{{ end -}}
{{- end -}}
{{- end -}}
{{- toJson $file -}}
{{- end -}}
