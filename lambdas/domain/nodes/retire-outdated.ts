import type { Table } from '../../shared/table.js';
import { changeNode } from './change-node.js';
import { findNode } from './find-node.js';

export type Retirement =
  /** It runs this version. */
  | 'current'
  /** It gets no further workspace from here on; it holds some still. */
  | 'draining'
  /** It gets none, and holds none: the sweep removes it as any idle node. */
  | 'empty'
  /** There is no such node, or it is going already. */
  | 'gone';

/**
 * Retires a node with another agent version, or without a report. Its workspaces keep running
 * until their owner stops them. A repeat changes nothing. Two table calls.
 */
export async function retireOutdated(
  table: Table,
  {
    nodeId,
    agentVersion,
    now,
  }: { readonly nodeId: string; readonly agentVersion: string; readonly now: Date },
): Promise<Retirement> {
  const node = await findNode(table, nodeId);
  if (node?.agentVersion === agentVersion) return 'current';
  const { changed, node: standing } = await changeNode(table, {
    nodeId,
    set: { retiredAt: now.toISOString(), retiredFor: 'agent_build' },
    when: { oneOf: { status: ['provisioning', 'running', 'errored'] }, absent: ['retiredAt'] },
    now,
  });
  if (!standing || (!changed && standing.retiredAt === undefined)) return 'gone';
  return standing.slots ? 'draining' : 'empty';
}
