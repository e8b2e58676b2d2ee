{{- define "memcached.selector" -}}
app: memcached
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
