import { RuntimeAssets } from '../../../protocol/agent-callbacks.js';
import { isUnavailable } from '../control-plane/callback-errors.js';
import type { ControlPlane } from '../control-plane/control-plane.js';
import { maxAssetBytes, runtimeVariables } from '../control-plane/runtime-variables.js';
import type { RuntimeFiles } from '../files/runtime-files.js';
import type { Log } from '../shared/log.js';
import type { Workspace } from './workspace.js';

interface ShellVariablesDeps {
  readonly controlPlane: Pick<ControlPlane, 'get'>;
  readonly files: Pick<RuntimeFiles, 'apply'>;
  readonly log: Log;
  /** A terminal waits this long at most. */
  readonly timeoutMs: number;
}

interface LastAnswer {
  readonly generation: number;
  readonly variables: Readonly<Record<string, string>>;
}

/** The variables of the profile and the skill of the workspace, for its shells. */
export class ShellVariables {
  /** Kept in memory only: the values are secrets. */
  private readonly last = new Map<string, LastAnswer>();

  constructor(private readonly deps: ShellVariablesDeps) {}

  /** A shell opens without them, or with the last ones, when they cannot be fetched. */
  async of(workspace: Workspace): Promise<Readonly<Record<string, string>>> {
    const { workspaceId, generation } = workspace;
    const last = this.last.get(workspaceId);
    try {
      const { variables, files } = runtimeVariables(await this.fetch(workspace));
      this.last.set(workspaceId, { generation, variables });
      const unwritten = await this.deps.files.apply(workspace, '', files);
      if (unwritten.length > 0)
        this.deps.log.warn('Files of a profile are not written', { workspaceId, unwritten });
      return variables;
    } catch (error) {
      this.deps.log.warn('Could not fetch the variables of a shell', { workspaceId, error });
      if (!isUnavailable(error)) this.last.delete(workspaceId);
      return isUnavailable(error) && last?.generation === generation ? last.variables : {};
    }
  }

  forget(workspaceId: string): void {
    this.last.delete(workspaceId);
  }

  private fetch({ workspaceId, callbackToken: token }: Workspace): Promise<RuntimeAssets> {
    const { controlPlane, timeoutMs } = this.deps;
    const path = `/api/workspaces/${workspaceId}/runtime-assets`;
    return controlPlane.get({ path, token, answer: RuntimeAssets, maxAnswerBytes: maxAssetBytes, timeoutMs });
  }
}
