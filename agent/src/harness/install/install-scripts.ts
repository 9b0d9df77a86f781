/** Ends with 0 when the program `$1` is there. */
export const probeScript = `
PATH="\${HOME:-/root}/.local/bin:$PATH"
command -v "$1" >/dev/null 2>&1`;

/** Ends a script for want of a fitting Node. */
export const noFittingNode = 90;

/** With `$least`: the least version of Node. */
const fits = `fits() { command -v npm >/dev/null 2>&1 && [ "$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)" -ge "$least" ]; }`;

/**
 * \`$1\`: least version of Node. Without one, root gets what the image's own distribution has, from its signed packages;
 * that may be too old.
 */
export const nodeScript = `
least=$1
${fits}
if ! fits && ! command -v npm >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  if command -v apt-get >/dev/null 2>&1; then
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends nodejs npm; } >&2
  elif command -v apk >/dev/null 2>&1; then apk add --no-cache nodejs npm >&2
  fi
  hash -r
fi
fits || exit ${noFittingNode}`;

/** \`$1\`: where the program on standard input goes; it goes there only if it runs in this image. */
export const takeNodeScript = `
umask 022
mkdir -p "\${1%/*}" && cat >"$1.new" && chmod 755 "$1.new" || exit 1
if "$1.new" --version >&2; then mv -f "$1.new" "$1"; else rm -f "$1.new"; exit ${noFittingNode}; fi`;

/** \`$1\`: least version of Node; \`$2\`: where programs go; the rest: packages, each with its exact version. */
export const npmScript = `
least=$1; prefix=$2; shift 2
${fits}
fits || { echo "It needs npm and Node $least or newer in the image" >&2; exit ${noFittingNode}; }
exec npm install --global --no-audit --no-fund --loglevel=error --prefix "$prefix" "$@" >&2`;

const uv = 'uv==0.13.8';

/** \`$1\`: the tool with its version; \`$2\`: version of Python; \`$3\`: where programs go; \`$4\`: where tools go. */
export const uvScript = `
command -v uv >/dev/null 2>&1 || python3 -m pip install --quiet --break-system-packages ${uv} >&2 || python3 -m pip install --quiet ${uv} >&2
command -v uv >/dev/null 2>&1 || { echo 'It needs uv, or Python with pip, in the image' >&2; exit 90; }
UV_TOOL_BIN_DIR=$3 UV_TOOL_DIR=$4 UV_PYTHON_INSTALL_DIR=$4/python exec uv tool install --python "$2" "$1" >&2`;
