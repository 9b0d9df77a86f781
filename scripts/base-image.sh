#!/usr/bin/env bash
# Builds the small image for laptop workspaces and tests of the container role: git, bash and procps
# on this machine's Debian (or Ubuntu) release, from its apt sources. Needs no image registry.
#
#   scripts/base-image.sh            makes berth-base:local unless the engine has it
#   BASE_IMAGE=name scripts/...      another name
#   BASE_IMAGE_CACHE=dir             folder of the root file system's archive (.cache/base-image)
set -euo pipefail
cd "$(dirname "$0")/.."

image="${BASE_IMAGE:-berth-base:local}"
cache="${BASE_IMAGE_CACHE:-.cache/base-image}"
packages='git,ca-certificates,bash,procps'

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

fail() {
  echo "base-image: $1" >&2
  exit 1
}

docker info >/dev/null 2>&1 || fail 'no Docker engine answers; start one (e.g. "sudo dockerd") and run this again'
if docker image inspect "$image" >/dev/null 2>&1; then
  echo "base-image: $image is there already"
  exit 0
fi

codename="$(. /etc/os-release && echo "${VERSION_CODENAME:-}")"
[ -n "$codename" ] || fail 'this system names no release in /etc/os-release; it must be Debian or Ubuntu'
archive="$cache/$codename-$(dpkg --print-architecture).tar"

if [ ! -s "$archive" ]; then
  command -v debootstrap >/dev/null || fail 'debootstrap is missing; install it with "apt-get install debootstrap"'
  mirror="$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' |
    awk -v codename="$codename" '$2 == codename { print $1; exit }')"
  [ -n "$mirror" ] || fail "no apt source of $codename is configured on this machine"
  mkdir -p "$cache"
  root="$(mktemp -d)"
  trap 'as_root rm -rf "$root"' EXIT
  echo "base-image: bootstrapping $codename"
  as_root debootstrap --variant=minbase --include="$packages" "$codename" "$root" "$mirror"
  as_root rm -rf "$root/var/cache/apt/archives" "$root/var/lib/apt/lists"
  as_root mkdir -p "$root/var/cache/apt/archives/partial" "$root/var/lib/apt/lists/partial"
  # One name at the end: an interrupted run leaves no half archive behind.
  as_root tar -C "$root" -c . >"$archive.part"
  mv "$archive.part" "$archive"
fi

docker import --change 'CMD ["/bin/bash"]' "$archive" "$image" >/dev/null
echo "base-image: made $image"
