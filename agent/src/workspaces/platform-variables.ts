import { type LoopbackAlias, seenFromContainers } from './loopback-alias.js';
import type { Workspace } from './workspace.js';

interface PlatformPlace {
  readonly nodeId: string;
  readonly controlPlaneUrl: string;
  /** For containers; null: programs of workspaces use the same addresses as the agent. */
  readonly loopbackAlias: LoopbackAlias;
}

/** The session that a coding agent runs for. */
export interface SessionPlace {
  readonly projectId?: string | null;
  readonly chatSessionId?: string | null;
  readonly taskId?: string | null;
}

/** The `SVC_` variables of shells, commands and coding agents. None is a secret. */
export type PlatformVariables = (
  workspace: Pick<Workspace, 'workspaceId' | 'settings'>,
  session?: SessionPlace,
) => Readonly<Record<string, string>>;

export function platformVariables({
  nodeId,
  controlPlaneUrl,
  loopbackAlias,
}: PlatformPlace): PlatformVariables {
  const url = seenFromContainers(controlPlaneUrl, loopbackAlias).replace(/\/+$/, '');
  return ({ workspaceId, settings }, session = {}) =>
    present({
      SVC_API_URL: url,
      SVC_NODE_ID: nodeId,
      SVC_WORKSPACE_ID: workspaceId,
      // A person opens it: the address is that of the browser.
      SVC_WORKSPACE_URL: `${controlPlaneUrl.replace(/\/+$/, '')}/workspaces/${workspaceId}`,
      SVC_REPOSITORY: settings.repository,
      SVC_BRANCH: settings.branch,
      SVC_PROJECT_ID: session.projectId,
      SVC_CHAT_SESSION_ID: session.chatSessionId,
      SVC_TASK_ID: session.taskId,
    });
}

function present(values: Readonly<Record<string, string | null | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
}
