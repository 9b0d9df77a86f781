import type { Table } from '../../shared/table.js';
import { changeItem } from '../records/change-item.js';
import type { Conditions } from '../records/conditions.js';
import { Node, nodeKey } from './node.js';
import { type NodeMove, type NodeStatus, nodeSourcesOf } from './node-status.js';

export interface NodeChange {
  readonly nodeId: string;
  /** The move it makes; its sources become part of the condition. */
  readonly move?: NodeMove;
  readonly to?: NodeStatus;
  readonly set?: Readonly<Record<string, unknown>>;
  readonly when?: Conditions;
  readonly now: Date;
}

export type NodeOutcome =
  | { readonly changed: true; readonly node: Node }
  | { readonly changed: false; readonly node: Node | undefined };

/** Compare and set on one node; `node` is the row after it, or as it stands. One table call. */
export async function changeNode(
  table: Table,
  { nodeId, move, to, set, when, now }: NodeChange,
): Promise<NodeOutcome> {
  const outcome = await changeItem(table, {
    key: nodeKey(nodeId),
    set: { ...set, status: to, updatedAt: now.toISOString() },
    when: {
      exists: true,
      ...when,
      ...(move ? { oneOf: { ...when?.oneOf, status: nodeSourcesOf(move) } } : {}),
    },
  });
  if (outcome.changed) return { changed: true, node: Node.parse(outcome.item) };
  return { changed: false, node: outcome.item && Node.parse(outcome.item) };
}
