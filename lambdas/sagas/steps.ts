import type { Grant } from '../route-row.js';
import type { SagaName } from '../saga-names.js';

/**
 * The one table of saga steps, as `routes.ts` is of HTTP routes. `infra` makes a function of each
 * row and puts its ARN into the state machine under its name in PascalCase: `place-workspace` is
 * `${PlaceWorkspace}`.
 */

/** What a step may touch beyond what a route may. */
export type StepGrant =
  | Grant
  /** Start instances from the launch template, and only from it. */
  | 'ec2:run'
  | 'ec2:describe'
  /** Start a stopped instance that carries this deployment's tag, with other user data. */
  | 'ec2:start'
  /** Terminate instances that carry this deployment's tag. */
  | 'ec2:terminate';

export interface Step {
  readonly saga: SagaName;
  /** File below `lambdas/sagas/<saga>`, without `.ts`. */
  readonly name: string;
  readonly grants: readonly StepGrant[];
}

export const steps: readonly Step[] = [
  { saga: 'provision-workspace', name: 'place-workspace', grants: ['table:write', 'ec2:describe'] },
  {
    saga: 'provision-workspace',
    name: 'launch-node',
    // To terminate what EC2 started while the node was given up.
    grants: ['table:write', 'ec2:run', 'ec2:start', 'ec2:describe', 'ec2:terminate'],
  },
  {
    saga: 'provision-workspace',
    name: 'register-node',
    // To terminate what a launch that was cut off has started besides.
    grants: ['table:write', 'ec2:describe', 'ec2:terminate', 'dns:write'],
  },
  { saga: 'provision-workspace', name: 'unplace-workspace', grants: ['table:write'] },
  {
    saga: 'provision-workspace',
    name: 'create-on-node',
    grants: ['table:write', 'tokens:sign', 'dns:write'],
  },
  { saga: 'provision-workspace', name: 'restore-on-node', grants: ['table:write', 'tokens:sign'] },
  { saga: 'provision-workspace', name: 'resume-sessions', grants: ['table:write', 'tokens:sign'] },
  { saga: 'provision-workspace', name: 'remove-from-node', grants: ['table:read', 'tokens:sign'] },
  { saga: 'provision-workspace', name: 'release-workspace', grants: ['table:write', 'dns:write'] },
  {
    saga: 'provision-workspace',
    name: 'terminate-node',
    grants: ['table:write', 'saga:remove-node'],
  },
  { saga: 'provision-workspace', name: 'mark-errored', grants: ['table:write'] },

  { saga: 'stop-workspace', name: 'stop-on-node', grants: ['table:read', 'tokens:sign'] },
  {
    saga: 'stop-workspace',
    name: 'mark-stopped',
    grants: ['table:write', 'dns:write', 'secrets:open', 'codehost:app', 'snapshots:delete'],
  },

  { saga: 'delete-workspace', name: 'delete-on-node', grants: ['table:read', 'tokens:sign'] },
  {
    saga: 'delete-workspace',
    name: 'mark-deleted',
    grants: ['table:write', 'dns:write', 'secrets:open', 'codehost:app', 'snapshots:delete'],
  },

  {
    saga: 'sleep-workspace',
    name: 'capture',
    grants: ['table:write', 'tokens:sign', 'changes:write'],
  },
  {
    saga: 'sleep-workspace',
    name: 'verify-snapshot',
    grants: ['table:write', 'snapshots:read', 'snapshots:delete'],
  },
  { saga: 'sleep-workspace', name: 'verify-recovery-point', grants: ['table:read', 'snapshots:read'] },
  { saga: 'sleep-workspace', name: 'begin-sleep', grants: ['table:write'] },
  { saga: 'sleep-workspace', name: 'stop-unchanged', grants: ['table:read', 'tokens:sign'] },
  {
    saga: 'sleep-workspace',
    name: 'end-sleep',
    grants: ['table:write', 'dns:write', 'secrets:open', 'codehost:app', 'prompts:wake-up'],
  },
  { saga: 'sleep-workspace', name: 'keep-running', grants: ['table:write', 'prompts:wake-up'] },
  { saga: 'sleep-workspace', name: 'fail-sleep', grants: ['table:write'] },

  { saga: 'remove-node', name: 'begin-removal', grants: ['table:write'] },
  {
    saga: 'remove-node',
    name: 'terminate-instance',
    grants: ['ec2:describe', 'ec2:terminate'],
  },
  { saga: 'remove-node', name: 'await-instance', grants: ['table:read', 'ec2:describe'] },
  { saga: 'remove-node', name: 'remove-dns', grants: ['table:read', 'dns:write'] },
  { saga: 'remove-node', name: 'mark-removed', grants: ['table:write'] },

  { saga: 'end-session', name: 'notify-nodes', grants: ['table:read', 'tokens:sign'] },

  {
    saga: 'run-task',
    name: 'create-workspace',
    grants: ['table:write', 'secrets:open', 'secrets:seal', 'codehost:app'],
  },
  { saga: 'run-task', name: 'check-workspace', grants: ['table:write'] },
  {
    saga: 'run-task',
    name: 'transfer-attachment',
    grants: ['table:write', 'tokens:sign', 'uploads:read'],
  },
  { saga: 'run-task', name: 'create-agent-session', grants: ['table:write', 'tokens:sign'] },
  { saga: 'run-task', name: 'deliver-prompt', grants: ['table:write', 'tokens:sign'] },
  { saga: 'run-task', name: 'fail-task', grants: ['table:write', 'saga:end-run'] },

  {
    saga: 'end-run',
    name: 'end-run',
    grants: [
      'table:write',
      // To ask the node what changed, and to keep it.
      'tokens:sign',
      'changes:read',
      'changes:write',
      'saga:stop-workspace',
      'saga:delete-workspace',
      'saga:sleep-workspace',
      'sagas:answer',
    ],
  },

  {
    saga: 'end-membership',
    name: 'stop-workspaces',
    grants: ['table:write', 'saga:stop-workspace', 'sagas:answer', 'secrets:open', 'codehost:app'],
  },
];
