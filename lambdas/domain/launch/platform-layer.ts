import type { ResourceLayer } from './launch-layer.js';

/** What holds when nobody says anything else. */
export const platformLayer = {
  agentType: 'claude-code',
  // An agent then takes its own default.
  model: null,
  effort: null,
  permissionMode: 'bypassPermissions',
  workspaceProfile: 'full',
  devcontainerConfigName: null,
  taskMode: 'task',
  taskExecutionTimeoutMs: 14_400_000,
} as const;

export const platformResources = {
  minVcpu: 2,
  minMemoryGb: 4,
  minDiskGb: 40,
  exclusiveNode: false,
  maxCoTenants: 4,
} as const satisfies Required<ResourceLayer>;
