import type { Capability } from '../projects/member.js';
import type { RateLimitName } from '../rate-limits/rate-limits.js';

/** Who may do something in a project. */
export interface Rule {
  /** The HTTP routes that do it, by their file in routes.ts; each asks for the same capability. */
  readonly routes: readonly string[];
  readonly capability: Capability;
  /**
   * `member`: every member with the capability. `creator`: of those only the person who created the
   * record, because an agent works on it with that person's credentials.
   */
  readonly by: 'member' | 'creator';
  /** The limit against which its routes count, and each tool that equals the action. */
  readonly limit?: RateLimitName;
}

const read = (capability: Capability, ...routes: readonly string[]): Rule => ({
  ...{ capability, routes },
  by: 'member',
});
const write = (limit: RateLimitName, ...routes: readonly string[]): Rule => ({
  ...read('task:write', ...routes),
  limit,
});
const steer = (limit: RateLimitName, ...routes: readonly string[]): Rule => ({
  ...write(limit, ...routes),
  by: 'creator',
});

/**
 * What can be done to the sessions and tasks of a project. The HTTP routes and the tools of agents
 * use this one table, so that a tool cannot do what HTTP refuses to the person of its token.
 */
const rules = {
  'project.read': read('project:read', 'projects/get'),
  'project.readCredentialLimits': read('project:read', 'projects/credential-limits'),

  'resourceHistory.read': read(
    'project:read',
    'resource-history/of-session',
    'resource-history/of-task',
    'resource-history/of-workspace',
    'resource-history/timeline',
    'resource-history/timeline-chunk',
  ),

  'chat.list': read('project:read', 'chats/list'),
  'chat.read': read('project:read', 'chats/get', 'chats/messages', 'chats/tool-content', 'chats/state'),
  'chat.readDeliveries': read('project:read', 'chats/deliveries'),
  /** Put words into a session: its agent follows them. */
  'chat.prompt': steer('PROMPT', 'chats/prompt'),
  'chat.cancel': steer('AGENT_CONTROL', 'chats/cancel'),
  'chat.stop': steer('AGENT_CONTROL', 'chats/stop'),
  'chat.listInteractions': read('task:read', 'chats/interactions'),
  /** The request of an agent is for its person only. */
  'chat.readInteraction': { ...read('task:read', 'chats/interaction'), by: 'creator' },
  'chat.answerInteraction': steer('CHANGE', 'chats/answer-interaction'),

  'task.list': read('task:read', 'tasks/list'),
  'task.read': read('task:read', 'tasks/get', 'tasks/events', 'tasks/sessions'),
  /** Files of the workspace, which is its creator's own. */
  'task.readChanges': { ...read('task:read', 'tasks/changes'), by: 'creator' },
  'task.create': write('CHANGE', 'tasks/create'),
  'task.submit': write('TASK_RUN', 'tasks/submit'),
  'task.attach': write('UPLOAD', 'tasks/request-upload'),
  /** Its description is what its agent receives. */
  'task.change': steer('CHANGE', 'tasks/patch'),
  'task.run': steer('TASK_RUN', 'tasks/run', 'tasks/delegate'),
  'task.cancel': write('CHANGE', 'tasks/cancel'),
  'task.close': write('CHANGE', 'tasks/close'),
  'task.setStatus': write('CHANGE', 'tasks/status'),
  /** With the right at the code host of who asks. */
  'task.openPullRequest': write('CHANGE', 'tasks/pull-request'),
  'task.delete': write('CHANGE', 'tasks/delete'),
  'task.link': write('CHANGE', 'tasks/add-dependency', 'tasks/remove-dependency'),

  'eventSubscription.read': read(
    'task:read',
    'event-subscriptions/list',
    'event-subscriptions/get',
    'event-subscriptions/deliveries',
  ),
  'eventSubscription.cancel': write('CHANGE', 'event-subscriptions/cancel'),
  'eventChannel.list': read('task:read', 'event-channels/list'),
  'eventChannel.readHistory': read('task:read', 'event-channels/history'),

  'workspace.read': { ...read('workspace:read', 'workspaces/get'), by: 'creator' },
} as const satisfies Readonly<Record<string, Rule>>;

export type Action = keyof typeof rules;
export const actions: Readonly<Record<Action, Rule>> = rules;
