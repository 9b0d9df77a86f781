import { type HostRequirements, readHostRequirements } from '../../../protocol/host-requirements.js';
import { parseJsonWithComments } from '../../../protocol/json-with-comments.js';
import type { CodeHost } from './code-host.js';
import { type RepositoryFile, readRepositoryFile } from './repository-file.js';

const maxBytes = 64 * 1_024;
/** For all files together. */
const timeoutMs = 2_000;

export interface DevContainerQuestion extends Pick<RepositoryFile, 'token' | 'repository' | 'ref'> {
  /** The repository's own configuration when absent. */
  readonly configName?: string | undefined;
}

/**
 * The `hostRequirements` of the repository's dev container, by the right of the token. Undefined
 * when there is no such file, or it is not valid, too large or not read in time.
 */
export async function askForHostRequirements(
  codeHost: Pick<CodeHost, 'apiUrl'>,
  { configName, ...of }: DevContainerQuestion,
): Promise<HostRequirements | undefined> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    for (const path of placesOf(configName)) {
      const text = await readRepositoryFile(codeHost, { ...of, path, maxBytes, signal });
      if (text !== undefined)
        return readHostRequirements(parseJsonWithComments(text).hostRequirements).requirements;
    }
  } catch {
    // They are recommendations: no file and no answer may keep a workspace from being created.
  }
  return undefined;
}

const placesOf = (configName: string | undefined): readonly string[] =>
  configName === undefined
    ? ['.devcontainer/devcontainer.json', '.devcontainer.json']
    : [`.devcontainer/${configName}/devcontainer.json`];
