import { Link } from '@tanstack/react-router';
import { type Services, useServices } from '../app/services.js';
import { useLoadedAhead } from '../app/use-loaded-ahead.js';
import { loadMarkdown } from '../chat/message-text.js';
import { useReadAgain } from '../live/use-read-again.js';
import { ago } from '../times.js';
import { Loaded } from '../ui/loaded.js';
import { ShowMore } from '../ui/show-more.js';
import { pagesOf, usePages } from '../ui/use-pages.js';
import { groupNames, groupOf, inWords, type Task, taskGroups } from './task-state.js';

export const tasksKey = (projectId: string) => ['tasks', projectId] as const;

const readTasks =
  ({ client }: Services, projectId: string) =>
  (query: { readonly limit: number; readonly cursor?: string }, signal: AbortSignal) =>
    client.call('GET /api/projects/{projectId}/tasks', { params: { projectId }, query, signal });

export const tasksQuery = (services: Services, projectId: string) =>
  pagesOf(tasksKey(projectId), readTasks(services, projectId));

/** The page of a task, with what shows its conversation. */
const loadTaskPage = () => Promise.all([import('./task-page.js'), loadMarkdown()]);

/** All tasks of a project in their groups, as they are at this moment. */
export function TaskList({ projectId }: { readonly projectId: string }) {
  const tasks = usePages(tasksKey(projectId), readTasks(useServices(), projectId));
  useReadAgain(`project:${projectId}`, tasksKey(projectId));
  useLoadedAhead(loadTaskPage);
  return (
    <Loaded query={tasks}>
      {({ pages }) => (
        <>
          <Groups tasks={pages.flatMap((page) => page.tasks)} />
          <ShowMore pages={tasks} />
        </>
      )}
    </Loaded>
  );
}

function Groups({ tasks }: { readonly tasks: readonly Task[] }) {
  if (tasks.length === 0)
    return <p className="card">No tasks yet. Describe above what an agent should do.</p>;
  return taskGroups.map((group) => {
    const members = tasks.filter((task) => groupOf(task) === group);
    if (members.length === 0) return null;
    return (
      <section key={group} aria-labelledby={`group-${group}`}>
        <h2 id={`group-${group}`}>
          {groupNames[group]} <span className="quiet">{members.length}</span>
        </h2>
        <ul className="plain">
          {members.map((task) => (
            <TaskRow key={task.id} task={task} />
          ))}
        </ul>
      </section>
    );
  });
}

function TaskRow({ task }: { readonly task: Task }) {
  const { id: taskId, projectId } = task;
  return (
    <li className="card row">
      <Link to="/projects/$projectId/tasks/$taskId" params={{ projectId, taskId }} className="strong">
        {task.title}
      </Link>
      <TaskBadge task={task} />
      {task.outputBranch && <span className="quiet">{task.outputBranch}</span>}
      <span className="quiet">{ago(task.createdAt)}</span>
    </li>
  );
}

export function TaskBadge({ task }: { readonly task: Pick<Task, 'status' | 'executionStep'> }) {
  return <span className={`badge ${badgeClass(task)}`}>{inWords(task)}</span>;
}

function badgeClass(task: Pick<Task, 'status' | 'executionStep'>): string {
  if (task.status === 'failed') return 'bad';
  if (task.status === 'completed') return 'good';
  return groupOf(task) === 'needs-you' ? 'warn' : 'busy';
}
