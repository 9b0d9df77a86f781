import { join } from 'node:path';
import { writeBesideTools } from './write-beside-tools.js';

/** The tool's image name for the features of a classic build, one for the whole engine. */
const sharedName = 'dev_container_feature_content_temp';
const dockerfile = 'Dockerfile-with-features';

/**
 * Writes a docker command that gives the features of a classic build a name of the workspace, so
 * that builds can run at the same time. Returns its path.
 */
export async function writeDockerCommand(folder: string, workspaceId: string): Promise<string> {
  const path = join(folder, 'docker');
  const ownName = `vsc-${workspaceId.toLowerCase()}-features`;
  // The tool ran in this folder already.
  await writeBesideTools(folder, 'docker', { text: script(ownName), mode: 0o755 });
  return path;
}

function script(ownName: string): string {
  return `#!/bin/sh
for argument; do
  shift
  case "$argument" in
    ${sharedName}) argument=${ownName} ;;
    "$TMPDIR"/*/${dockerfile}) sed -i 's/^FROM ${sharedName} /FROM ${ownName} /' "$argument" ;;
  esac
  set -- "$@" "$argument"
done
exec docker "$@"
`;
}
