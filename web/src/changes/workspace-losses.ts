import * as z from 'zod/mini';
import { GitStatus } from '../../../protocol/workspace-files.js';
import type { Api } from '../api.js';
import { confirmDialog, type Question } from '../confirm-dialog.js';
import { callNode } from '../node-call.js';
import { TerminalToken, type Workspace } from '../records.js';
import { within } from '../within.js';
import type { ReadNode } from '../workspaces/use-node.js';
import { unpushedWork } from './unpushed.js';

/** A node that does not answer keeps nobody from ending a workspace. */
const mostWaitMs = 5_000;
const Project = z.object({ defaultBranch: z.string() });

/** Asks before a workspace ends, and says what is not pushed in it. */
export async function askBeforeLoss(
  api: Api,
  workspace: Workspace,
  { action, text }: Omit<Question, 'title'>,
): Promise<boolean> {
  const losses = await workspaceLosses(api, workspace);
  const title = `${action} ${workspace.displayName}?`;
  return confirmDialog({ title, text: [...losses, text].join(' '), action });
}

/** As sentences; none where it cannot be asked. */
async function workspaceLosses(api: Api, workspace: Workspace): Promise<readonly string[]> {
  // To ask a sleeping one would wake it.
  if (workspace.status !== 'running' || workspace.repository === null) return [];
  return within(mostWaitMs, readLosses(api, workspace)).catch(() => []);
}

async function readLosses(api: Api, { id, projectId, branch }: Workspace): Promise<readonly string[]> {
  const [token, project] = await Promise.all([
    api.call('/api/terminal/token', { method: 'POST', body: { workspaceId: id }, reads: TerminalToken }),
    projectId ? api.call(`/api/projects/${projectId}`, { reads: Project }) : undefined,
  ]);
  const read: ReadNode = ({ path, query = {}, ...call }) =>
    callNode(token, { workspaceId: id, path: `${path}?${new URLSearchParams(query)}`, ...call });
  const status = await read({ path: 'git/status', reads: GitStatus });
  return unpushedWork(read, status, project?.defaultBranch ?? branch ?? 'main');
}
