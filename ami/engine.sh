# The container engine of a node, sourced by bake.sh.
#   ENGINE_PACKAGES=docker   Docker's packages, in these versions (default)
#   ENGINE_PACKAGES=debian   old packages of the distribution, only for tests without access to Docker's
# To upgrade: change the versions, then run `npm run adversary` and the tests in test/integration/baked.
engine="${ENGINE_PACKAGES:-docker}"
docker_source=https://download.docker.com/linux/debian
docker_key_fingerprint=9DC858229FC7DD38854AE2D88D81803C0EBFCD88
docker_packages=(
  docker-ce=5:29.8.2-1~debian.12~bookworm
  docker-ce-cli=5:29.8.2-1~debian.12~bookworm
  containerd.io=2.3.6-1~debian.12~bookworm
  docker-buildx-plugin=0.37.1-1~debian.12~bookworm
  docker-compose-plugin=5.6.0-1~debian.12~bookworm
)
debian_packages=(docker.io docker-compose)
least_engine=29
least_runc=1.3.3

# First id of the user namespace: root of a container is this unprivileged id on the node.
remapped_ids=1000000000:1000000000

install_engine() {
  add_remapped_user
  case "$engine" in
    docker)
      add_docker_source
      install_now "${docker_packages[@]}"
      ;;
    debian) install_now "${debian_packages[@]}" ;;
    *) fail "ENGINE_PACKAGES is \"$engine\". Expected docker or debian" ;;
  esac
}

add_remapped_user() {
  id dockremap >/dev/null 2>&1 || useradd --system --user-group --no-create-home --shell /usr/sbin/nologin dockremap
  local file
  for file in /etc/subuid /etc/subgid; do
    touch "$file"
    sed -i '/^dockremap:/d' "$file"
    echo "dockremap:$remapped_ids" >>"$file"
  done
}

# Downloads the key, and accepts it only with the fingerprint that is listed here.
add_docker_source() {
  local key=/etc/apt/keyrings/docker.asc found
  install_now gpg ca-certificates
  install -d -m 0755 /etc/apt/keyrings
  /usr/lib/apt/apt-helper download-file "$docker_source/gpg" "$key"
  found="$(gpg --show-keys --with-colons "$key" | awk -F: '$1 == "pub" { next_is = 1 } $1 == "fpr" && next_is { print $10; next_is = 0 }')"
  [ "$found" = "$docker_key_fingerprint" ] || fail "the key of $docker_source is \"$found\", and not $docker_key_fingerprint"
  chmod 0644 "$key"
  echo "deb [arch=$ARCH signed-by=$key] $docker_source bookworm stable" >/etc/apt/sources.list.d/docker.list
  apt-get update -q
}

check_engine() {
  [ "$engine" = docker ] || { echo "bake: engine packages of $engine, version not checked"; return 0; }
  at_least engine "$least_engine" "$(dockerd --version | sed -n 's/^Docker version \([0-9.]*\).*/\1/p')"
  at_least runc "$least_runc" "$(runc --version | sed -n 's/^runc version \([0-9.]*\).*/\1/p')"
  dockerd --validate --config-file /etc/docker/daemon.json
  docker buildx version
  docker compose version
}

at_least() {
  dpkg --compare-versions "${3:-0}" ge "$2" || fail "the $1 is \"$3\", and must be $2 or newer"
}
