import type { Node } from './node.js';

const minute = 60_000;
const hour = 60 * minute;

/** An empty node waits this long for the next workspace, unless the project has another time. */
export const defaultWarmMs = 30 * minute;
/** No empty node is older. */
export const maxEmptyLifetimeMs = 4 * hour;
/** A node that is older ends its workspaces, if nobody has used one within their idle time. */
export const maxLifetimeMs = 24 * hour;
/** For what holds a node without use for a person: no agent, or a slot without a workspace. */
export const orphanMs = 45 * minute;

type EmptyNode = Pick<Node, 'status' | 'retiredAt' | 'slotsChangedAt' | 'createdAt'>;

interface LifeRule {
  readonly reason: 'retired' | 'warm' | 'lifetime' | 'orphan';
  readonly concerns: (node: EmptyNode) => boolean;
  readonly since: (node: EmptyNode) => string;
  readonly afterMs: (warmMs: number) => number;
}

const runs = ({ status }: EmptyNode): boolean => status === 'running';
const sinceLastSlot = ({ slotsChangedAt }: EmptyNode): string => slotsChangedAt;

/** Why a node without slots is removed; docs/nodes.md has the same table. */
export const lifeRules: readonly LifeRule[] = [
  // It gets no further workspace.
  {
    reason: 'retired',
    concerns: ({ retiredAt }) => retiredAt !== undefined,
    since: sinceLastSlot,
    afterMs: () => 0,
  },
  {
    reason: 'lifetime',
    concerns: runs,
    since: ({ createdAt }) => createdAt,
    afterMs: () => maxEmptyLifetimeMs,
  },
  { reason: 'warm', concerns: runs, since: sinceLastSlot, afterMs: (warmMs) => warmMs },
  { reason: 'orphan', concerns: (node) => !runs(node), since: sinceLastSlot, afterMs: () => orphanMs },
];

/** The rule by which a node without slots is removed now. Heartbeats do not postpone it. */
export const dueRule = (node: EmptyNode, warmMs: number, now: Date): LifeRule | undefined =>
  lifeRules.find(
    ({ concerns, since, afterMs }) =>
      concerns(node) && now.getTime() - Date.parse(since(node)) >= afterMs(warmMs),
  );

export const isPastLifetime = ({ createdAt }: Pick<Node, 'createdAt'>, now: Date): boolean =>
  now.getTime() - Date.parse(createdAt) >= maxLifetimeMs;
