import type { AnswerOf } from '../../../client/berth-client.js';

export type Task = AnswerOf<'GET /api/projects/{projectId}/tasks'>['tasks'][number];
type State = Pick<Task, 'status' | 'executionStep'>;

export const taskGroups = ['needs-you', 'working', 'drafts', 'done'] as const;
export type TaskGroup = (typeof taskGroups)[number];
export const groupNames: Readonly<Record<TaskGroup, string>> = {
  'needs-you': 'Needs you',
  working: 'Working',
  drafts: 'Drafts',
  done: 'Done',
};

/** Where a task is listed. An agent that ended its turn waits for its person. */
export function groupOf({ status, executionStep }: State): TaskGroup {
  if (status === 'draft' || status === 'ready') return 'drafts';
  if (hasEnded(status)) return 'done';
  if (status === 'sleeping' || executionStep === 'awaiting_followup') return 'needs-you';
  return 'working';
}

export const hasEnded = (status: Task['status']): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

/** Its files are reached through its chat, which gets the workspace before the agent begins. */
export function workspaceOfChat({ status, workspaceId }: Pick<Task, 'status' | 'workspaceId'>) {
  const hasBegun = !['draft', 'ready', 'queued', 'delegated'].includes(status);
  return hasBegun ? workspaceId : null;
}

const steps: Readonly<Record<NonNullable<Task['executionStep']>, string>> = {
  node_selection: 'Choosing a node',
  waiting_for_node_capacity: 'Waiting for a node',
  node_provisioning: 'Starting a node',
  node_agent_ready: 'Waiting for the node agent',
  workspace_creation: 'Creating the workspace',
  workspace_dispatch: 'Sending the workspace to the node',
  workspace_ready: 'Preparing the workspace',
  attachment_transfer: 'Copying the attachments',
  agent_session: 'Starting the agent',
  running: 'The agent works',
  awaiting_followup: 'The agent waits for you',
};
const states: Readonly<Record<Task['status'], string>> = {
  draft: 'Draft',
  ready: 'Ready to run',
  queued: 'Queued',
  delegated: 'Starting',
  in_progress: 'The agent works',
  sleeping: 'Sleeps until your next message',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

/** What a task does now, in words. */
export function inWords({ status, executionStep }: State): string {
  const isBetween = status === 'queued' || status === 'delegated' || status === 'in_progress';
  return isBetween && executionStep ? steps[executionStep] : states[status];
}
