{{/* SPDX-License-Identifier: Apache-2.0 */}}
{{- define "packetwarp.pod" -}}
serviceAccountName: {{ include "packetwarp.name" . }}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: {{ add (int .Values.drain.within) 45 }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- range $key := list "nodeSelector" "tolerations" "priorityClassName" "runtimeClassName" }}
{{- with get $.Values $key }}
{{ $key }}: {{ toJson . }}
{{- end }}
{{- end }}
securityContext:
  runAsUser: {{ .Values.user }}
  runAsGroup: {{ .Values.user }}
  runAsNonRoot: {{ ne (int .Values.user) 0 }}
  fsGroup: {{ .Values.user }}
  seccompProfile: {type: RuntimeDefault}
{{- include "packetwarp.antiAffinity" . }}
containers:
  - {{- include "packetwarp.container" . | nindent 4 }}
volumes:
  - {name: config, configMap: {name: {{ include "packetwarp.name" . }}}}
  - {name: run, emptyDir: {medium: Memory, sizeLimit: 16Mi}}
  {{- if ne .Values.profile "af_packet" }}
  - {name: hugepages, emptyDir: {medium: HugePages-{{ .Values.hugepages.size }}}}
  {{- end }}
  {{- if eq (include "packetwarp.cudaCache" .) "/var/cache/cuda" }}
  - {name: cuda, emptyDir: {sizeLimit: 2Gi}}
  {{- end }}
  {{- with .Values.extraVolumes }}{{ toYaml . | nindent 2 }}{{ end }}
{{- if eq .Values.profile "dra" }}
resourceClaims:
  - {name: devices, resourceClaimTemplateName: {{ include "packetwarp.name" . }}}
{{- end }}
{{- end -}}

{{- define "packetwarp.antiAffinity" -}}
{{- $term := dict "topologyKey" "kubernetes.io/hostname" "labelSelector" (dict "matchLabels" (include "packetwarp.selector" . | fromYaml)) -}}
{{- if eq .Values.antiAffinity "required" }}
affinity: {{ dict "podAntiAffinity" (dict "requiredDuringSchedulingIgnoredDuringExecution" (list $term)) | toJson }}
{{- else if eq .Values.antiAffinity "preferred" }}
affinity: {{ dict "podAntiAffinity" (dict "preferredDuringSchedulingIgnoredDuringExecution" (list (dict "weight" 100 "podAffinityTerm" $term))) | toJson }}
{{- end }}
{{- end -}}

{{/* Limits of a container; its requests are equal. */}}
{{- define "packetwarp.resources" -}}
{{- $limits := dict "cpu" (toString .Values.cpus) "memory" .Values.memory -}}
{{- if ne .Values.profile "af_packet" }}{{ $_ := set $limits (printf "hugepages-%s" .Values.hugepages.size) .Values.hugepages.amount }}{{ end -}}
{{- if include "packetwarp.hasResources" . -}}
{{- range .Values.interfaces -}}
{{- if .resource }}{{ $_ := set $limits .resource (toString (add1 (get $limits .resource | default "0" | int))) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- if eq .Values.profile "mlx5-gpu" }}{{ $_ := set $limits "nvidia.com/gpu" (toString .Values.gpus) }}{{ end -}}
requests: {{ toJson $limits }}
limits: {{ toJson $limits }}
{{- if eq .Values.profile "dra" }}
claims: [{name: devices}]
{{- end }}
{{- end -}}

{{/* CUDA keeps what it has compiled for the GPU: on the volume of the state, or for as long as the pod is there. */}}
{{- define "packetwarp.cudaCache" -}}
{{- if include "packetwarp.hasGpu" . -}}
{{ and .Values.nat44.enabled .Values.nat44.state.enabled | ternary "/var/lib/packetwarp/cuda" "/var/cache/cuda" }}
{{- end -}}
{{- end -}}

{{- define "packetwarp.container" -}}
name: packetwarp
image: {{ include "packetwarp.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
args: [run, -c, /etc/packetwarp/network.yaml, --watch]
env:
  - {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
  - {name: RUNTIME_DIRECTORY, value: /run/packetwarp}
  {{- if include "packetwarp.hasGpu" . }}
  - {name: CUDA_CACHE_PATH, value: {{ include "packetwarp.cudaCache" . }}}
  {{- end }}
  {{- with .Values.extraEnv }}{{ toYaml . | nindent 2 }}{{ end }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL], add: {{ include "packetwarp.capabilities" . }}}
resources: {{- include "packetwarp.resources" . | nindent 2 }}
ports:
  - {name: metrics, containerPort: {{ .Values.metrics.port }}}
startupProbe: {httpGet: {path: /healthz, port: metrics}, periodSeconds: 2, failureThreshold: 90}
livenessProbe: {httpGet: {path: /healthz, port: metrics}, periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 3}
readinessProbe: {httpGet: {path: /readyz, port: metrics}, periodSeconds: 2, timeoutSeconds: 5}
lifecycle:
  preStop: {exec: {command: [/usr/bin/packetwarp, drain, --within, {{ .Values.drain.within }}s, --wait]}}
volumeMounts:
  - {name: config, mountPath: /etc/packetwarp, readOnly: true}
  - {name: run, mountPath: /run/packetwarp}
  {{- if ne .Values.profile "af_packet" }}
  - {name: hugepages, mountPath: /dev/hugepages}
  {{- end }}
  {{- if and .Values.nat44.enabled .Values.nat44.state.enabled }}
  - {name: state, mountPath: /var/lib/packetwarp}
  {{- end }}
  {{- if eq (include "packetwarp.cudaCache" .) "/var/cache/cuda" }}
  - {name: cuda, mountPath: /var/cache/cuda}
  {{- end }}
  {{- with .Values.extraVolumeMounts }}{{ toYaml . | nindent 2 }}{{ end }}
{{- end -}}
