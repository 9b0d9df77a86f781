import { workspaceProcesses } from '../workspaces/standalone/workspace-processes.js';
import type { WorkspaceProcesses } from './workspace-processes.js';

/** Standalone workspaces are in the agent's own network, and known by the mark in their processes' environment. */
export const standaloneProcesses: WorkspaceProcesses = {
  leader: async () => process.pid,
  all: () => workspaceProcesses(),
};
