import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { BerthClient } from '../../../client/berth-client.js';
import { useServices } from '../app/services.js';
import { TaskBadge } from './task-list.js';
import type { Task } from './task-state.js';
import { type TaskNode, treeBelow } from './task-tree.js';
import type { WholeTask } from './use-task.js';

/** What an agent gave to other agents, as a tree. */
export function SubTasks({ task: { id, projectId, subTaskCount } }: { readonly task: WholeTask }) {
  const { client } = useServices();
  const family = useQuery({
    queryKey: ['task-family', projectId, id],
    queryFn: ({ signal }) => tasksSince(client, { projectId, taskId: id }, signal),
    enabled: subTaskCount > 0,
  });
  if (!family.data) return null;
  const nodes = treeBelow(id, family.data);
  if (nodes.length === 0) return null;
  return (
    <details className="sub-tasks">
      <summary>Subtasks ({nodes.length})</summary>
      <Branch nodes={nodes} />
    </details>
  );
}

function Branch({ nodes }: { readonly nodes: readonly TaskNode[] }) {
  return (
    <ul>
      {nodes.map(({ task, children }) => (
        <li key={task.id}>
          <Link
            to="/projects/$projectId/tasks/$taskId"
            params={{ projectId: task.projectId, taskId: task.id }}
          >
            {task.title}
          </Link>{' '}
          <TaskBadge task={task} />
          {children.length > 0 && <Branch nodes={children} />}
        </li>
      ))}
    </ul>
  );
}

const mostPages = 5;

/** Tasks that are newer than one: all its subtasks are. Ids sort by time. */
async function tasksSince(
  client: BerthClient,
  { projectId, taskId }: { readonly projectId: string; readonly taskId: string },
  signal: AbortSignal,
): Promise<readonly Task[]> {
  const tasks: Task[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < mostPages; page += 1) {
    const answer: { readonly tasks: readonly Task[]; readonly nextCursor: string | null } = await client.call(
      'GET /api/projects/{projectId}/tasks',
      { params: { projectId }, query: { limit: 200, ...(cursor ? { cursor } : {}) }, signal },
    );
    tasks.push(...answer.tasks.filter(({ id }) => id > taskId));
    cursor = answer.nextCursor;
    const oldest = answer.tasks.at(-1);
    if (!cursor || (oldest && oldest.id <= taskId)) break;
  }
  return tasks;
}
