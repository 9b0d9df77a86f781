import type { Table } from '../../shared/table.js';
import { membershipEnded } from '../projects/errors.js';
import { Member, may, memberKey } from '../projects/member.js';
import { getItems } from '../records/get-items.js';
import type { Workspace } from '../workspaces/workspace.js';
import { Node, nodeKey } from './node.js';
import { type NodeAddress, requireAddress } from './node-address.js';

/**
 * Where to call the node of a workspace, for whose it is: of a project's workspace only as long as they may work in the
 * project. One table call.
 *
 * @throws {membershipEnded}
 * @throws {NodeUnreachable} it cannot be called
 */
export async function findAddressForMember(
  table: Table,
  nodeId: string,
  { projectId, userId }: Pick<Workspace, 'projectId' | 'userId'>,
): Promise<NodeAddress> {
  const membership = projectId === null ? undefined : memberKey(projectId, userId);
  const find = await getItems(table, [nodeKey(nodeId), ...(membership ? [membership] : [])]);
  const member = membership && find(membership);
  if (membership && !(member && may(Member.parse(member), 'workspace:write'))) throw membershipEnded();
  const node = find(nodeKey(nodeId));
  return requireAddress(node && Node.parse(node));
}
