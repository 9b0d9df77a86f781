/** Ends with 0 when the program `$1` is there. */
export const probeScript = `
PATH="\${HOME:-/root}/.local/bin:$PATH"
command -v "$1" >/dev/null 2>&1`;

/**
 * \`$1\`: least version of Node; \`$2\`: where programs go; the rest: packages. An image without a fitting Node gets one from
 * its own system's packages, and from there the wanted version.
 */
export const npmScript = `
least=$1; prefix=$2; shift 2
fits() { command -v npm >/dev/null 2>&1 && [ "$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)" -ge "$least" ]; }
if ! fits && [ "$(id -u)" = 0 ]; then
  if command -v apt-get >/dev/null 2>&1; then
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends nodejs npm; } >&2
  elif command -v apk >/dev/null 2>&1; then apk add --no-cache nodejs npm >&2
  fi
  fits || npx -y n "$least" >&2
  hash -r
fi
fits || { echo "It needs npm and Node $least or newer in the image" >&2; exit 90; }
exec npm install --global --no-audit --no-fund --loglevel=error --prefix "$prefix" "$@" >&2`;

/** \`$1\`: the tool with its version; \`$2\`: version of Python; \`$3\`: where programs go; \`$4\`: where tools go. */
export const uvScript = `
command -v uv >/dev/null 2>&1 || python3 -m pip install --quiet --break-system-packages uv >&2 || python3 -m pip install --quiet uv >&2
command -v uv >/dev/null 2>&1 || { echo 'It needs uv, or Python with pip, in the image' >&2; exit 90; }
UV_TOOL_BIN_DIR=$3 UV_TOOL_DIR=$4 UV_PYTHON_INSTALL_DIR=$4/python exec uv tool install --python "$2" "$1" >&2`;
