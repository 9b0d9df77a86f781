import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { AnswerOf } from '../../../client/berth-client.js';
import { messageOf } from '../api-error.js';
import { useServices } from '../app/services.js';
import { useTitle } from '../app/title.js';
import { ChatPanel } from '../chat/chat-panel.js';
import { useTopic } from '../live/use-topic.js';
import { Failure } from '../ui/failure.js';
import { TaskBadge, tasksKey } from './task-list.js';
import { hasEnded } from './task-state.js';

type WholeTask = AnswerOf<'GET /api/projects/{projectId}/tasks/{taskId}'>;
const route = getRouteApi('/projects/$projectId/tasks/$taskId');

/** One task: its state, its conversation, and what can be done with it. */
export function TaskPage() {
  const { projectId, taskId } = route.useParams();
  const task = useTask(projectId, taskId);
  useTitle(task.data?.title ?? 'Task');
  if (task.isPending) return <p className="loading">Loading …</p>;
  if (task.isError) return <Failure error={task.error} retry={() => void task.refetch()} />;
  return (
    <article>
      <p>
        <Link to="/projects/$projectId" params={{ projectId }}>
          ← Tasks
        </Link>
      </p>
      <div className="heading">
        <h1>{task.data.title}</h1>
        <TaskBadge task={task.data} />
      </div>
      <Facts task={task.data} />
      {task.data.errorMessage && (
        <p className="notice bad" role="alert">
          {task.data.errorMessage}
        </p>
      )}
      <Actions task={task.data} />
      <ChatPanel projectId={projectId} sessionId={taskId} />
    </article>
  );
}

function useTask(projectId: string, taskId: string) {
  const { client } = useServices();
  const queries = useQueryClient();
  const queryKey = ['task', projectId, taskId];
  const task = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      client.call('GET /api/projects/{projectId}/tasks/{taskId}', { params: { projectId, taskId }, signal }),
  });
  const readAgain = useCallback(
    () => void queries.invalidateQueries({ queryKey: ['task', projectId, taskId] }),
    [queries, projectId, taskId],
  );
  useTopic(`project:${projectId}`, readAgain);
  return task;
}

function Facts({ task }: { readonly task: WholeTask }) {
  const { outputBranch, outputPrUrl, workspaceId } = task;
  return (
    <p className="quiet">
      {outputBranch && (
        <>
          Branch <code>{outputBranch}</code>.{' '}
        </>
      )}
      {outputPrUrl && (
        <>
          <a href={outputPrUrl} target="_blank" rel="noreferrer noopener">
            Pull request
          </a>{' '}
        </>
      )}
      {workspaceId && (
        <Link to="/workspaces/$workspaceId" params={{ workspaceId }}>
          Workspace, terminal and boot log
        </Link>
      )}
    </p>
  );
}

/** What ends a task. Its conversation and its branch stay. */
function Actions({ task }: { readonly task: WholeTask }) {
  const { client } = useServices();
  const queries = useQueryClient();
  const { id: taskId, projectId } = task;
  const isRunning = !hasEnded(task.status) && task.status !== 'draft' && task.status !== 'ready';
  const verb = task.taskMode === 'conversation' ? 'close' : 'cancel';
  const ending = useMutation({
    mutationFn: async () => {
      const params = { projectId, taskId };
      if (verb === 'close')
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
      <button type="button" disabled={ending.isPending} onClick={() => ending.mutate()}>
        {verb === 'close' ? 'Close the task' : 'Cancel the task'}
      </button>
      {ending.isError && (
        <p className="notice bad" role="alert">
          {messageOf(ending.error)}
        </p>
      )}
    </div>
  );
}
