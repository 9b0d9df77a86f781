import type { Table } from '../../shared/table.js';
import { changeItem } from '../records/change-item.js';
import type { Change } from '../records/changes.js';
import { type RecordChange, recordChange } from '../records/record-change.js';
import { Node, nodeKey } from './node.js';
import { type NodeTransition, nodeSourcesOf } from './node-status.js';

interface NoTransition {
  readonly move?: undefined;
  readonly to?: undefined;
}

/** A change of a node's row; the sources of its `move` become part of the condition. */
type NodeChange = Omit<RecordChange<Node>, 'isInternal'> & { readonly nodeId: string } & (
    | NodeTransition
    | NoTransition
  );

/** Every change of a node's row is made here: alone by `changeNode`, or in a transaction. */
export function nodeChange({ nodeId, move, to, ...change }: NodeChange): Change {
  const { set, when } = change;
  return recordChange<Node>(nodeKey(nodeId), {
    ...change,
    // No client follows a node, so its row has no version.
    isInternal: true,
    ...(move === undefined
      ? {}
      : {
          set: { ...set, status: to },
          when: { ...when, oneOf: { ...when?.oneOf, status: nodeSourcesOf(move) } },
        }),
  });
}

type NodeOutcome =
  | { readonly changed: true; readonly node: Node }
  | { readonly changed: false; readonly node: Node | undefined };

/** Compare and set on one node; `node` is the row after it, or as it stands. One table call. */
export async function changeNode(table: Table, change: NodeChange): Promise<NodeOutcome> {
  const outcome = await changeItem(table, nodeChange(change));
  if (outcome.changed) return { changed: true, node: Node.parse(outcome.item) };
  return { changed: false, node: outcome.item && Node.parse(outcome.item) };
}
