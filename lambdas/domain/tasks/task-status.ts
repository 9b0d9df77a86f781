/**
 * The states of a task, the moves between them and the steps of its execution. docs/tasks.md
 * describes them. Every write that moves a task takes its condition from this table.
 */
export const taskStatuses = [
  'draft',
  'ready',
  'queued',
  'delegated',
  'in_progress',
  'sleeping',
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
  in_progress: ['sleeping', 'completed', 'failed', 'cancelled'],
  sleeping: ['in_progress', 'completed', 'failed', 'cancelled'],
  failed: ['ready', 'cancelled'],
  cancelled: ['ready'],
  completed: [],
};

export const canMove = (from: TaskStatus, to: TaskStatus): boolean => moves[from].includes(to);

/** Counts against the project's limit of active tasks: it has an execution. */
export const isActive = (status: TaskStatus): boolean =>
  status === 'queued' || status === 'delegated' || hasBegun(status);

/** Its agent has the first message. A conversation sleeps with its workspace. */
export const hasBegun = (status: TaskStatus): boolean => status === 'in_progress' || status === 'sleeping';

/** It has no execution yet. */
export const isNotStarted = (status: TaskStatus): boolean => status === 'draft' || status === 'ready';

/** It has no execution any more. */
export const hasEnded = (status: TaskStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

/** The steps of an execution, in order. */
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
