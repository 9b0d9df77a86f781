/** Path of the wrapper in the run folder of a workspace. */
export const ghPath = 'bin/gh';

/** Where the image's own `gh` is kept when the wrapper takes its place. */
const imageProgram = '/usr/local/bin/gh.image';

const missing =
  'gh is not installed in this workspace. Install it (https://cli.github.com), or add the feature ' +
  'ghcr.io/devcontainers/features/github-cli:1 to devcontainer.json and rebuild. ' +
  'Commits can be pushed without it.';

/**
 * The program `gh` of a workspace. It fetches the git token from the credential socket at each
 * call, and sets it only for its own process. A token that the person has set stays.
 */
export function ghWrapper(socketPath: string): string {
  const socket = `'${socketPath.replaceAll("'", `'\\''`)}'`;
  return `#!/bin/sh
find_gh() {
  [ ! -x ${imageProgram} ] || { echo ${imageProgram}; return; }
  IFS=:
  for folder in $PATH; do
    gh=\${folder:-.}/gh
    [ -f "$gh" ] && [ -x "$gh" ] && ! [ "$gh" -ef "$1" ] && { echo "$gh"; return; }
  done
}
gh=$(find_gh "$0")
[ -n "$gh" ] || { echo '${missing}' >&2; exit 127; }
[ -z "\${GH_TOKEN:-}\${GITHUB_TOKEN:-}\${GH_ENTERPRISE_TOKEN:-}\${GITHUB_ENTERPRISE_TOKEN:-}" ] || exec "$gh" "$@"
answer=$(git credential-cache --socket=${socket} get </dev/null)
host= token=
while IFS= read -r line; do
  case $line in
    host=*) host=\${line#host=} ;;
    password=*) token=\${line#password=} ;;
    message=*) printf '%s\\n' "\${line#message=}" >&2 ;;
  esac
done <<END
$answer
END
[ -n "$token" ] || exec "$gh" "$@"
if [ "$host" = github.com ]; then
  export GH_TOKEN="$token"
else
  export GH_HOST="$host" GH_ENTERPRISE_TOKEN="$token"
fi
exec "$gh" "$@"
`;
}

/** Makes \`$1\` the \`gh\` of a container, as root. A repeat changes nothing. */
const installScript = `
gh=/usr/local/bin/gh
[ "$(readlink "$gh")" = "$1" ] && exit
mkdir -p /usr/local/bin
[ ! -f "$gh" ] || mv -f "$gh" ${imageProgram}
ln -sfn "$1" "$gh"`;

/** Login shells reset PATH, so the wrapper needs a place in every PATH. */
export const installGhWrapper = (path: string): string[] => ['/bin/sh', '-c', installScript, 'sh', path];
