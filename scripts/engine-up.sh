#!/usr/bin/env bash
# Makes sure that a container engine works: Docker, else podman, else nerdctl, as
# kind finds them. Where none does, and root on Debian or Ubuntu: installs Docker
# and starts it, saying so. An engine that is elsewhere is left to who runs it.
set -euo pipefail

say() { echo "engine-up: $*" >&2; }
die() { say "$*"; exit 1; }

# within bounds a command, where the program timeout is there (macOS has none).
within() { if command -v timeout >/dev/null; then timeout "$@"; else "${@:2}"; fi; }

works() { command -v "$1" >/dev/null && within 20 "$1" info >/dev/null 2>&1; }

# Asks dockerd until it answers, for at most 60 s; the arguments are a command
# that fails once there is nothing left to wait for.
await_docker() {
  local deadline=$((SECONDS + 60))
  until works docker; do
    "$@" || { works docker; return; } # it may have answered since
    ((SECONDS < deadline)) || return 1
    sleep 0.2
  done
}

for engine in ${KIND_EXPERIMENTAL_PROVIDER:-docker podman nerdctl}; do
  if works "$engine"; then exit 0; fi
done

# elsewhere names the endpoint of another machine's engine, or of another user's, if one is chosen.
elsewhere() {
  local context=${DOCKER_CONTEXT:-}
  case ${DOCKER_HOST:-} in
    '') [[ -n $context ]] || context=$(within 20 docker context show 2>/dev/null || true) ;;
    unix:///var/run/docker.sock | unix:///run/docker.sock) return 1 ;;
    *) echo "DOCKER_HOST is $DOCKER_HOST"; return ;;
  esac
  if [[ -n $context && $context != default ]]; then
    echo "the context $context of docker leads to $(within 20 docker context inspect "$context" --format '{{.Endpoints.docker.Host}}' 2>/dev/null || echo nowhere)"
    return
  fi
  [[ ${KIND_EXPERIMENTAL_PROVIDER:-podman} == podman && -n ${CONTAINER_HOST:-} ]] && echo "CONTAINER_HOST is $CONTAINER_HOST"
}
if endpoint=$(elsewhere); then
  die "$endpoint, and nothing answers there; nothing was installed or started here. Start that engine, or unset what chooses it (DOCKER_HOST, CONTAINER_HOST, DOCKER_CONTEXT; docker context use default)"
fi

provider=${KIND_EXPERIMENTAL_PROVIDER:-docker}
[[ $provider == docker ]] || die "$provider does not work ('$provider info' fails), and only Docker can be set up here: repair it, or unset KIND_EXPERIMENTAL_PROVIDER"
if [[ $(id -u) != 0 ]]; then
  if command -v docker >/dev/null; then
    die "no container engine answers this user: start Docker (sudo systemctl start docker) and join its group (sudo usermod -aG docker \$USER, then log in again), or run this as root"
  fi
  die "no container engine is installed: run this as root (sudo scripts/engine-up.sh), or install Docker, podman or nerdctl"
fi

if ! command -v dockerd >/dev/null; then
  command -v apt-get >/dev/null || die "no container engine is installed, and this is neither Debian nor Ubuntu: install Docker, podman or nerdctl"
  say "no container engine works: installing docker.io with apt-get"
  status=0
  "$(dirname "$0")/apt-install.sh" docker.io iptables || status=$?
  case $status in
    0) ;;
    3) die "Docker was not installed, as that would remove other packages, or upgrade what runs. To go on, install an engine that keeps them: where containerd.io is one of them, Docker from the same repository (apt-get install docker-ce docker-ce-cli), else podman (apt-get install podman) or nerdctl; look at the plan before you agree (apt-get --simulate)" ;;
    *) die "apt-get could not install docker.io (see above): install Docker, podman or nerdctl" ;;
  esac
fi

flags=()
bounding=$(sed -n 's/^CapBnd:[[:space:]]*//p' /proc/self/status)
if (((16#$bounding >> 24 & 1) == 0)); then # bit 24 is CAP_SYS_RESOURCE
  runtime=/usr/local/bin/runc-drop-caps
  say "this host lacks CAP_SYS_RESOURCE: dockerd gets the default runtime $runtime, which asks runc only for what there is"
  root=$(cd "$(dirname "$0")/.." && pwd)
  CGO_ENABLED=0 go build -C "$root/fixtures/images" -trimpath -o "$runtime" ./runc-drop-caps
  flags=(--add-runtime "drop-caps=$runtime" --default-runtime drop-caps)
fi

if [[ -d /run/systemd/system && ${#flags[@]} == 0 ]]; then
  say "starting Docker with systemctl"
  systemctl start docker
  await_docker systemctl --quiet is-active docker || {
    journalctl --unit docker --lines 15 --no-pager >&2
    die "dockerd did not answer within 60 s; the lines above are its last"
  }
else
  # A killed daemon leaves its process id behind. Where another program has that
  # id by now, dockerd would refuse to start, or wait for that program.
  for pair in dockerd:/run/docker.pid containerd:/run/docker/containerd/containerd.pid; do
    name=${pair%%:*} file=${pair#*:}
    if [[ -f $file && $(cat "/proc/$(<"$file")/comm" 2>/dev/null || true) != "$name" ]]; then
      say "removing $file, which a killed $name left"
      rm -f "$file"
    fi
  done
  log=${DOCKERD_LOG:-/var/log/operatorbench-dockerd.log}
  say "starting dockerd in the background (log: $log)"
  setsid dockerd "${flags[@]}" >"$log" 2>&1 </dev/null &
  await_docker kill -0 $! 2>/dev/null || {
    tail -n 15 "$log" >&2
    die "dockerd did not answer within 60 s; the lines above are the last of $log"
  }
fi
say "Docker $(docker info --format '{{.ServerVersion}}') answers"
