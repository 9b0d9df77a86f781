import { isUnavailable } from '../control-plane/callback-errors.js';
import type { RuntimeFiles } from '../files/runtime-files.js';
import type { BootLog } from '../workspaces/boot-log.js';
import type { Workspace } from '../workspaces/workspace.js';
import { HarnessError, type HarnessRequest } from './harness.js';
import type { HarnessCallbacks } from './harness-callbacks.js';

export interface SessionAssetsDeps {
  readonly callbacks: Pick<HarnessCallbacks, 'variables'>;
  readonly runtimeFiles: Pick<RuntimeFiles, 'apply'>;
  readonly bootLog: Pick<BootLog, 'add'>;
}

/**
 * Writes the files of the profile and the skill, and returns their variables. An agent may depend
 * on them: it does not start without an answer.
 * @throws HarnessError
 */
export async function prepareAssets(
  { callbacks, runtimeFiles, bootLog }: SessionAssetsDeps,
  { workspace, sessionId }: HarnessRequest,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  try {
    const { variables, refused, files } = await callbacks.variables({ workspace, sessionId }, signal);
    report(bootLog, workspace, [
      'variables or settings of the project, profile or skill are not used',
      refused,
    ]);
    const unwritten = await runtimeFiles.apply(workspace, sessionId, files);
    report(bootLog, workspace, ['files of the profile or skill are not written', unwritten]);
    return variables;
  } catch (cause) {
    signal.throwIfAborted();
    const kind = isUnavailable(cause) ? 'unavailable' : 'not_startable';
    throw new HarnessError(kind, 'Could not fetch the variables of the session', { cause });
  }
}

function report(
  bootLog: Pick<BootLog, 'add'>,
  workspace: Workspace,
  [what, lines]: readonly [what: string, lines: readonly string[]],
): void {
  if (lines.length === 0) return;
  const message = `${lines.length} ${what}`;
  bootLog.add(workspace, { step: 'agent_variables', status: 'completed', message, detail: lines.join('\n') });
}
