#!/bin/bash
# Turns a Debian 12 system into a Berth node. Packer runs this script on the instance that becomes the
# image, the test in a container. It changes the system that it runs on, and may be repeated.
#
# scripts/agent-binaries/bake-payload.ts puts these beside it: engine.sh, vm-agent, node, devcontainers/,
# files/, harnesses.tar, release.env, and the signature of the release with the public keys.
#   WORKSPACE_IMAGE=name   pulls this image into the baked engine, so that first workspaces start faster
#   ENGINE_PACKAGES=docker  source of the engine's packages, see engine.sh
set -euo pipefail
cd "$(dirname "$0")"

fail() {
  echo "bake: $1" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || fail 'must be run as root'
. /etc/os-release
[ "$ID" = debian ] && [ "$VERSION_ID" = 12 ] || fail "this is ${PRETTY_NAME:-an unknown system}, and not Debian 12"
. ./release.env
[ "$(dpkg --print-architecture)" = "$ARCH" ] || fail "the agent is for $ARCH, this system is $(dpkg --print-architecture)"

# shellcheck source=engine.sh
. ./engine.sh

packages=(
  systemd systemd-sysv dbus cloud-init cloud-guest-utils chrony
  apparmor iptables nftables iproute2
  git bubblewrap ca-certificates procps util-linux libstdc++6
  unattended-upgrades
)

install_packages() {
  export DEBIAN_FRONTEND=noninteractive
  apt_get update -q
  apt_get upgrade -q -y
  install_now "${packages[@]}"
}

# A cloud image upgrades itself at its first boot, and holds apt's lock until then.
apt_get() {
  apt-get -o DPkg::Lock::Timeout=600 "$@"
}

install_now() {
  # Not interactive: our configuration file replaces the package's.
  apt_get install -q -y --no-install-recommends -o Dpkg::Options::=--force-confold "$@"
}

install_files() {
  cp -r --no-preserve=ownership,mode files/. /
  chmod 0755 /usr/local/lib/berth/*
  install -d -m 0700 /etc/svc /var/lib/vm-agent
  install -m 0755 vm-agent /usr/local/bin/vm-agent
  install -d /opt/berth/tools /opt/berth/node/bin /opt/berth/devcontainers
  rm -rf /opt/berth/harnesses
  install -d /opt/berth/harnesses
  tar -xf harnesses.tar -C /opt/berth/harnesses --no-same-owner
  install -m 0755 node /opt/berth/node/bin/node
  cp -r --no-preserve=ownership devcontainers/. /opt/berth/devcontainers/
  install -m 0644 release.env manifest.jws release-keys.json /etc/berth/
}

# Sandboxed builds and clones run as this user: SANDBOX_USER_ID of the agent.
add_build_user() {
  id berth-build >/dev/null 2>&1 ||
    useradd --system --uid 59998 --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin berth-build
}

# Child processes would inherit the agent's OOM adjustment. These wrappers make them the first victims:
# tools, then containers, then the engine, then the agent.
write_tools() {
  local name
  for name in git docker; do write_tool "$name" "/usr/bin/$name"; done
  # Docker's packages contain it as a part of docker.
  if [ -x /usr/bin/docker-compose ]; then write_tool docker-compose /usr/bin/docker-compose
  else write_tool docker-compose '/usr/bin/docker compose'; fi
  write_tool devcontainer '/opt/berth/node/bin/node /opt/berth/devcontainers/devcontainer.js'
}

write_tool() {
  printf '#!/bin/sh\nexec choom --adjust 500 -- %s "$@"\n' "$2" >"/opt/berth/tools/$1"
  chmod 0755 "/opt/berth/tools/$1"
}

close_logins() {
  passwd --lock root >/dev/null
  rm -f /root/.ssh/authorized_keys /home/*/.ssh/authorized_keys /etc/ssh/ssh_host_*
  # Takes effect at the next boot: Packer is still connected.
  if [ -e /lib/systemd/system/ssh.service ]; then systemctl disable ssh.service; fi
}

enable_units() {
  systemctl enable berth-firewall.service berth-provision.service berth-boot-guard.timer berth-boot-env.service vm-agent.service \
    docker.service containerd.service chrony.service apt-daily.timer apt-daily-upgrade.timer
  if command -v update-grub >/dev/null; then update-grub; fi
}

pull_image() {
  [ -n "${WORKSPACE_IMAGE:-}" ] || return 0
  # The running engine has not read its settings, which determine where it stores images.
  systemctl restart docker
  docker pull "$WORKSPACE_IMAGE"
}

# Removes what must differ on every node, and what only the bake needed.
forget() {
  cloud-init clean --logs --seed
  truncate --size 0 /etc/machine-id
  rm -f /var/lib/dbus/machine-id /var/lib/systemd/random-seed
  apt-get clean
  rm -rf /var/lib/apt/lists/* /var/log/journal/* /root/.bash_history
}

check() {
  check_engine
  /opt/berth/node/bin/node /usr/local/lib/berth/verify-agent.mjs
  /usr/local/bin/vm-agent --version
  /opt/berth/tools/devcontainer --version
  local node
  for node in /opt/berth/harnesses/*/*/node; do "$node" --version; done
  nft --check --file /etc/berth/firewall.nft
  # The rules name a control group that only a machine with a running engine has.
  [ ! -d /sys/fs/cgroup/system.slice/docker.service ] || nft --check --file /etc/berth/engine.nft
  systemd-analyze verify --man=no /etc/systemd/system/{vm-agent,berth-firewall,berth-provision,berth-boot-guard,berth-boot-env}.service \
    /etc/systemd/system/berth-boot-guard.timer
}

for part in install_packages install_engine install_files add_build_user write_tools close_logins enable_units pull_image check forget; do
  echo "bake: $part"
  "$part"
done
echo "bake: finished, release $RELEASE"
