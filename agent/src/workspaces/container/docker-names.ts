import type * as z from 'zod/mini';

/** Labels of every object that this agent creates in Docker, to find them again. */
export const labels = {
  workspace: 'svc.workspace',
  node: 'svc.node',
  generation: 'svc.generation',
  /** What the container was created from, see ContainerOrigin. */
  origin: 'svc.origin',
  /** Commands to run at each start. */
  startup: 'svc.startup',
  /** Name and start of a service beside the workspace's own container. */
  service: 'svc.service',
  /** Memory limit in bytes. The engine reports the machine's when it has no such control group. */
  memory: 'svc.memory',
  /** Ports that the configuration names, see DeclaredPorts. */
  ports: 'svc.ports',
} as const;

/**
 * The labels of a container: all of the agent's own, empty where unused. A label that is left out
 * would be the one of the image.
 */
export function containerLabels(used: Readonly<Record<string, string>>): Record<string, string> {
  return { ...Object.fromEntries(Object.values(labels).map((name) => [name, ''])), ...used };
}

/** The value of a JSON label; null when it is empty, missing or not valid. */
export function parseLabel<Schema extends z.ZodMiniType>(
  schema: Schema,
  text: string | undefined,
): z.infer<Schema> | null {
  try {
    return schema.safeParse(JSON.parse(text ?? '')).data ?? null;
  } catch {
    return null;
  }
}

/** Mount point of the run folder. */
export const runMount = '/run/svc';

/** Mount point of the workspace's volume. */
export const workspacesMount = '/workspaces';

/** Name of the container, its volume and its network. */
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
