import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { GitDiff as GitDiffReply } from '../../../protocol/workspace-files.js';
import { useServices } from '../app/services.js';
import { useTopic } from '../live/use-topic.js';
import { useProject } from '../projects/use-project.js';
import type { WholeTask } from '../tasks/use-task.js';
import { useNode } from '../workspaces/use-node.js';
import { branchChanges, type Change, type GitStatus, uncommittedChanges } from './changes.js';
import { unpushedWork } from './unpushed.js';

export type ChangesView = 'branch' | 'uncommitted';
export interface ChangeList {
  readonly changes: readonly Change[];
  /** The diff was cut off, and the names of further files are not known. */
  readonly isCut: boolean;
}

function useGitStatus({ projectId, id: sessionId, version }: WholeTask) {
  const { client } = useServices();
  return useQuery({
    queryKey: ['git-status', sessionId, version],
    queryFn: ({ signal }) =>
      client.call('GET /api/projects/{projectId}/sessions/{sessionId}/git/status', {
        params: { projectId, sessionId },
        signal,
      }),
    placeholderData: (before) => before,
  });
}

const quietMs = 1_000;

/**
 * Reads the changes again once the conversation is quiet. The end of a turn is no event of its own:
 * a short turn begins and ends between two events.
 */
function useQuietConversation(sessionId: string): void {
  const queries = useQueryClient();
  const quiet = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(quiet.current), []);
  useTopic(`chat:${sessionId}`, () => {
    clearTimeout(quiet.current);
    quiet.current = setTimeout(
      () => void queries.invalidateQueries({ queryKey: ['git-status', sessionId] }),
      quietMs,
    );
  });
}

/** The files that changed. They are read again when the task changes. */
export function useChanges(task: WholeTask, workspaceId: string, view: ChangesView) {
  const { client } = useServices();
  const read = useNode(workspaceId);
  const status = useGitStatus(task);
  useQuietConversation(task.id);
  const { defaultBranch } = useProject(task.projectId).data ?? {};
  const base = task.baseBranch ?? defaultBranch;
  const params = { projectId: task.projectId, sessionId: task.id };
  const list = useQuery({
    queryKey: ['changes', task.id, view, base, status.dataUpdatedAt],
    queryFn: async ({ signal }): Promise<ChangeList> => {
      if (!status.data || base === undefined) throw new Error('Not asked before these are known');
      if (view === 'branch') {
        const query = { base: `origin/${base}` };
        const diff = await read({ path: 'git/diff', query, reads: GitDiffReply, signal });
        return { changes: branchChanges(status.data, diff), isCut: diff.truncated };
      }
      const diff = (staged: 'true' | 'false') =>
        client.call('GET /api/projects/{projectId}/sessions/{sessionId}/git/diff', {
          ...{ params, query: { staged }, signal },
        });
      const [working, staged] = await Promise.all([diff('false'), diff('true')]);
      return { changes: uncommittedChanges(status.data, working, staged), isCut: status.data.truncated };
    },
    enabled: status.data !== undefined && base !== undefined,
    placeholderData: (before, query) => (query?.queryKey[2] === view ? before : undefined),
  });
  const unpushed = useQuery({
    queryKey: ['unpushed', task.id, status.dataUpdatedAt],
    queryFn: () => unpushedWork(read, status.data ?? nothing, base ?? ''),
    enabled: status.data !== undefined && base !== undefined,
    placeholderData: (before) => before,
  });
  return { status, list, unpushed: unpushed.data ?? [], base };
}

const nothing: GitStatus = { staged: [], unstaged: [], untracked: [], truncated: false };
