import { Chat } from '../chats/chat.js';
import { Task } from '../tasks/task.js';
import type { TaskStatus } from '../tasks/task-status.js';
import { Workspace } from '../workspaces/workspace.js';
import type { EventContent } from './event-content.js';

type Row = Readonly<Record<string, unknown>>;

export interface LifeCycleEvent {
  readonly projectId: string;
  readonly content: EventContent;
}

export const lifeCycleSource = 'svc.lifecycle';
const maxSummaryLength = 500;

/**
 * The event of a change of the table, in the life of a task, session or workspace of a project.
 * Most changes have none. A repeat of the change has the same delivery key.
 */
export function lifeCycleEventOf(
  before: Row | undefined,
  after: Row | undefined,
): LifeCycleEvent | undefined {
  return after && followed[String(after.entity)]?.(before, after);
}

type Follow = (before: Row | undefined, after: Row) => LifeCycleEvent | undefined;

const followed: Readonly<Record<string, Follow>> = {
  task: (before, after) => {
    const task = Task.parse(after);
    const { taskId, status, title, run, parentTaskId, errorMessage, version } = task;
    const type = taskEventType(before && Task.parse(before).status, status);
    if (!type) return undefined;
    const metadata = { taskId, status, run, parentTaskId, sessionId: task.chatId };
    const summary = errorMessage?.slice(0, maxSummaryLength);
    return lifeCycleEvent(task, {
      eventType: type,
      subject: { type: 'task', id: taskId },
      severity: severityOf[type],
      deliveryKey: `task:${taskId}:status:${status}:${version}`,
      metadata,
      display: summary === undefined ? { title } : { title, summary },
    });
  },

  chat: (before, after) => {
    const chat = Chat.parse(after);
    const { chatId, status, taskId, workspaceId, version, endReason = null } = chat;
    const type = sessionEventType(before && Chat.parse(before).status, status);
    if (!type) return undefined;
    return lifeCycleEvent(chat, {
      eventType: type,
      subject: { type: 'session', id: chatId },
      severity: severityOf[type],
      deliveryKey: `session:${chatId}:status:${status}:${version}`,
      metadata: { sessionId: chatId, status, taskId, workspaceId, reason: endReason },
      display: {},
    });
  },

  workspace: (before, after) => {
    const workspace = Workspace.parse(after);
    const { workspaceId, projectId, status, version } = workspace;
    const type = workspaceEventType(before && Workspace.parse(before), workspace);
    if (!type || projectId === null) return undefined;
    const reason = workspace.eviction?.reason ?? null;
    return lifeCycleEvent(
      { projectId, updatedAt: workspace.updatedAt },
      {
        eventType: type,
        subject: { type: 'workspace', id: workspaceId },
        severity: severityOf[type],
        deliveryKey: `workspace:${workspaceId}:${type}:${version}`,
        metadata: { workspaceId, status, reason },
        display: {},
      },
    );
  },
};

const severityOf = {
  'task.started': 'info',
  'task.completed': 'notice',
  'task.failed': 'error',
  'task.cancelled': 'warning',
  'session.started': 'info',
  'session.sleeping': 'info',
  'session.woke': 'info',
  'session.archived': 'notice',
  'session.failed': 'error',
  'workspace.evicted': 'warning',
  'workspace.recovered': 'notice',
} as const satisfies Readonly<Record<string, EventContent['severity']>>;
type LifeCycleType = keyof typeof severityOf;

const lifeCycleEvent = (
  { projectId, updatedAt }: { readonly projectId: string; readonly updatedAt: string },
  content: Pick<EventContent, 'eventType' | 'subject' | 'severity' | 'deliveryKey' | 'metadata' | 'display'>,
): LifeCycleEvent => ({
  projectId,
  content: { source: lifeCycleSource, rawPayloadRef: null, occurredAt: updatedAt, ...content },
});

/** A task that wakes with its workspace does not start again. */
function taskEventType(was: TaskStatus | undefined, is: TaskStatus): LifeCycleType | undefined {
  if (was === is) return undefined;
  if (is === 'in_progress') return was === 'sleeping' ? undefined : 'task.started';
  return is === 'completed' || is === 'failed' || is === 'cancelled' ? `task.${is}` : undefined;
}

/** `session.archived`: it has ended, and its metadata state why when its workspace ended it. */
function sessionEventType(was: Chat['status'] | undefined, is: Chat['status']): LifeCycleType | undefined {
  if (was === is) return undefined;
  if (was === undefined) return 'session.started';
  if (is === 'active') return was === 'sleeping' ? 'session.woke' : undefined;
  return sessionTypes[is];
}

const sessionTypes = {
  sleeping: 'session.sleeping',
  stopped: 'session.archived',
  error: 'session.failed',
} as const;

/** Once for each eviction, and not for a failed wake that leads back to it. */
function workspaceEventType(was: Workspace | undefined, is: Workspace): LifeCycleType | undefined {
  if (is.eviction) return is.eviction.at === was?.eviction?.at ? undefined : 'workspace.evicted';
  return was?.eviction && is.status === 'running' ? 'workspace.recovered' : undefined;
}
