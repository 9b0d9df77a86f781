/** Labels of everything this agent makes in Docker; by them it finds its own again. */
export const labels = {
  workspace: 'svc.workspace',
  node: 'svc.node',
  generation: 'svc.generation',
  /** What the container was made from, see ContainerOrigin. */
  origin: 'svc.origin',
  /** What is to be started in it whenever it starts. */
  startup: 'svc.startup',
} as const;

/** Where a container sees its run folder. */
export const runMount = '/run/svc';

/** Where the workspace's volume is mounted. */
export const workspacesMount = '/workspaces';

/** Name of the container, of its volume and of its network. */
export function dockerName(workspaceId: string): string {
  return `svc-ws-${workspaceId}`;
}

export function labelsOf(options: {
  readonly workspaceId: string;
  readonly nodeId: string;
  readonly generation: number;
}): Record<string, string> {
  return {
    [labels.workspace]: options.workspaceId,
    [labels.node]: options.nodeId,
    [labels.generation]: String(options.generation),
  };
}
