import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { BerthClient } from '../../../client/berth-client.js';
import { messageOf } from '../api-error.js';
import { useServices } from '../app/services.js';
import { unpushedWork } from '../changes/unpushed.js';
import { confirmDialog } from '../confirm-dialog.js';
import { within } from '../within.js';
import { type ReadNode, useNode } from '../workspaces/use-node.js';
import { tasksKey } from './task-list.js';
import { hasEnded } from './task-state.js';
import type { WholeTask } from './use-task.js';

/** Ends a task, after a question where work is not pushed. Its conversation and branch stay. */
export function EndTask({ task }: { readonly task: WholeTask }) {
  const { client } = useServices();
  const queries = useQueryClient();
  const read = useNode(task.workspaceId ?? '');
  const { id: taskId, projectId } = task;
  const isRunning = !hasEnded(task.status) && task.status !== 'draft' && task.status !== 'ready';
  const isConversation = task.taskMode === 'conversation';
  const action = isConversation ? 'Close the task' : 'Cancel the task';
  const ending = useMutation({
    mutationFn: async () => {
      const losses = await within(mostWaitMs, lossesOf(client, read, task)).catch(() => []);
      const text = `${losses.join(' ')} ${isConversation ? ofClosed : ofCancelled}`;
      if (losses.length > 0 && !(await confirmDialog({ title: `${action}?`, text, action }))) return;
      const params = { projectId, taskId };
      if (isConversation)
        await client.call('POST /api/projects/{projectId}/tasks/{taskId}/close', { params });
      else await client.call('POST /api/projects/{projectId}/tasks/{taskId}/cancel', { params });
    },
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ['task', projectId, taskId] });
      void queries.invalidateQueries({ queryKey: tasksKey(projectId) });
    },
  });
  if (!isRunning) return null;
  return (
    <div className="actions">
      <button type="button" className="small" disabled={ending.isPending} onClick={() => ending.mutate()}>
        {action}
      </button>
      {ending.isError && (
        <p className="notice bad" role="alert">
          {messageOf(ending.error)}
        </p>
      )}
    </div>
  );
}

const ofClosed =
  'The workspace of a closed task sleeps. Without a message to it, this work is deleted after seven days.';
const ofCancelled = 'The workspace of a cancelled task is stopped. Restart it to reach this work.';

/** A node that does not answer keeps nobody from ending a task. */
const mostWaitMs = 5_000;

async function lossesOf(client: BerthClient, read: ReadNode, task: WholeTask): Promise<readonly string[]> {
  const { workspaceId, projectId, id: sessionId } = task;
  if (workspaceId === null) return [];
  const [workspace, project] = await Promise.all([
    client.call('GET /api/workspaces/{workspaceId}', { params: { workspaceId } }),
    client.call('GET /api/projects/{projectId}', { params: { projectId } }),
  ]);
  // To ask a sleeping one would wake it.
  if (workspace.status !== 'running') return [];
  const status = await client.call('GET /api/projects/{projectId}/sessions/{sessionId}/git/status', {
    params: { projectId, sessionId },
  });
  return unpushedWork(read, status, task.baseBranch ?? project.defaultBranch);
}
