#!/usr/bin/env bash
# Fetches a container engine with BuildKit, and buildx, into .cache/buildkit-engine: the engine of Debian 12 is too old for
# the tests of builds with BuildKit. Installs nothing: containerd, runc and iptables of the machine serve it too.
# Without the packages the tests are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=.cache/buildkit-engine
# Path below the mirror of the machine, and checksum.
packages=(
  "pool/main/d/docker.io/docker.io_26.1.5+dfsg1-9+deb13u1+b1_amd64.deb 53ae1a99f15113f0a0d2226808ec0d24ee31b3b87b87ab8ec35be09a1a2ee13b"
  "pool/main/d/docker-buildx/docker-buildx_0.13.1+ds1-3_amd64.deb fcf8c48204d1603c8f209451d7827eb91bf30759578baf7704e9e1a87e5f1d7f"
)

skip() {
  echo "buildkit-engine: $1. The tests of builds with BuildKit are skipped."
  exit 0
}

[ ! -e "$folder/complete" ] || exit 0
[ "$(uname -sm)" = 'Linux x86_64' ] || skip "the packages are for Linux on x86_64"
[ -x /usr/lib/apt/apt-helper ] || skip "this machine has no apt"
mirror="$(apt-get indextargets --format '$(REPO_URI)' | grep -m 1 '/debian/\?$')" || skip "apt has no mirror of Debian"
rm -rf "$folder"
mkdir -p "$folder"
for package in "${packages[@]}"; do
  read -r path sum <<<"$package"
  file="$folder/$(basename "$path")"
  /usr/lib/apt/apt-helper -o APT::Sandbox::User=root download-file "${mirror%/}/$path" "$file" "SHA256:$sum" ||
    skip "$path cannot be fetched"
  dpkg-deb -x "$file" "$folder"
  rm "$file"
done
touch "$folder/complete"
echo "buildkit-engine: $("$folder/usr/sbin/dockerd" --version)"
