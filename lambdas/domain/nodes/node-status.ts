/** States of a node and the transitions between them; docs/workspaces.md has the same table. */
export const nodeStatuses = [
  'provisioning',
  'running',
  'stopping',
  'stopped',
  'deleting',
  'deleted',
  'errored',
] as const;

export type NodeStatus = (typeof nodeStatuses)[number];

export const removalModes = ['stop', 'delete'] as const;
export type RemovalMode = (typeof removalModes)[number];

const moves = {
  ready: { from: ['provisioning'], to: ['running'] },
  stop: { from: ['running', 'errored'], to: ['stopping'] },
  stopped: { from: ['stopping'], to: ['stopped'] },
  delete: { from: ['provisioning', 'running', 'stopping', 'stopped', 'errored'], to: ['deleting'] },
  deleted: { from: ['deleting'], to: ['deleted'] },
} as const satisfies Record<
  string,
  { readonly from: readonly NodeStatus[]; readonly to: readonly NodeStatus[] }
>;

export type NodeMove = keyof typeof moves;

/** A move with one of its target statuses. */
export type NodeTransition = {
  readonly [Move in NodeMove]: { readonly move: Move; readonly to: (typeof moves)[Move]['to'][number] };
}[NodeMove];

export const nodeMoves = Object.keys(moves) as readonly NodeMove[];

export const nodeSourcesOf = (move: NodeMove): readonly NodeStatus[] => moves[move].from;
export const nodeTargetsOf = (move: NodeMove): readonly NodeStatus[] => moves[move].to;
export const healthyForSeconds = 180;
export const staleForSeconds = 360;

type NodeHealth = 'healthy' | 'stale' | 'unhealthy';

/** Health by the age of the last heartbeat. A node without a heartbeat is stale. */
export function nodeHealth(lastHeartbeatAt: string | null, now: Date): NodeHealth {
  if (lastHeartbeatAt === null) return 'stale';
  const ageSeconds = (now.getTime() - Date.parse(lastHeartbeatAt)) / 1000;
  if (ageSeconds <= healthyForSeconds) return 'healthy';
  return ageSeconds <= staleForSeconds ? 'stale' : 'unhealthy';
}
