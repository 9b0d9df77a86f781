/**
 * The states of a task, the moves between them and the steps of its execution; docs/tasks.md is the table for people.
 * Every write that moves a task takes its condition from here.
 */
export const taskStatuses = [
  'draft',
  'ready',
  'queued',
  'delegated',
  'in_progress',
  'completed',
  'failed',
  'cancelled',
] as const;
export type TaskStatus = (typeof taskStatuses)[number];

const moves: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  draft: ['ready', 'cancelled'],
  ready: ['queued', 'delegated', 'cancelled'],
  queued: ['delegated', 'failed', 'cancelled'],
  delegated: ['in_progress', 'failed', 'cancelled'],
  in_progress: ['completed', 'failed', 'cancelled'],
  failed: ['ready', 'cancelled'],
  cancelled: ['ready'],
  completed: [],
};

export const canMove = (from: TaskStatus, to: TaskStatus): boolean => moves[from].includes(to);

/** Counts against the project's limit: an execution works on it, or should. */
export const isActive = (status: TaskStatus): boolean =>
  status === 'queued' || status === 'delegated' || status === 'in_progress';

/** Nothing has been set to work on it yet. */
export const isWaiting = (status: TaskStatus): boolean => status === 'draft' || status === 'ready';

/** Nothing works on it any more; only a person can begin it anew. */
export const isOver = (status: TaskStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

/** How far an execution has come, in this order and never back. */
export const executionSteps = [
  'node_selection',
  'waiting_for_node_capacity',
  'node_provisioning',
  'node_agent_ready',
  'workspace_creation',
  'workspace_dispatch',
  'workspace_ready',
  'attachment_transfer',
  'agent_session',
  'running',
  'awaiting_followup',
] as const;
export type ExecutionStep = (typeof executionSteps)[number];

export const isLater = (step: ExecutionStep, than: ExecutionStep | null): boolean =>
  than === null || executionSteps.indexOf(step) > executionSteps.indexOf(than);
