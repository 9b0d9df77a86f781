import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { contract } from '../../edge/contract.js';
import { nextCursor, pageQuery } from '../../edge/contract-parts.js';
import { WorkspaceView } from '../workspaces/workspace-view.js';
import { NodeView } from './node-view.js';

const params = z.object({ nodeId: Ulid });

export const list = contract({
  summary: 'List your nodes',
  description: 'Newest first, without deleted nodes.',
  query: z.strictObject(pageQuery),
  responses: { 200: z.object({ nodes: z.array(NodeView), nextCursor }) },
});

export const get = contract({
  summary: 'Get a node with its health and its workspaces',
  description:
    'Health and load are from the last heartbeat of its node agent. Only the owner of the node can read it.',
  params,
  responses: { 200: z.extend(NodeView, { workspaces: z.array(WorkspaceView) }) },
  errors: ['NOT_FOUND'],
});

export const stop = contract({
  summary: 'Stop a node',
  description:
    'Terminates its instance, with everything on its disk. The node stays in the list as `stopped` until you delete it, costs nothing and does not count to a limit of nodes. It cannot be started again: the next workspace gets another node. Stop every workspace on the node first: 409 names those that still hold a slot. Repeating the call returns the present status.',
  params,
  responses: { 200: z.object({ status: z.enum(['stopping', 'stopped']) }) },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT'],
});

const RemovalReply = z.object({
  success: z.literal(true),
  deletionStatus: z.enum(['confirmed', 'pending']),
  nodeStatus: z.enum(['deleting', 'deleted']),
});

// The file is called delete, which is no name for an export.
const removal = contract({
  summary: 'Delete a node with its instance and DNS records',
  description:
    '202 `pending`: the removal continues in the background. 200 `confirmed`: EC2 reports the instance terminated. Repeat the call to read the status. 409 names the workspaces that hold slots on the node: stop or delete them first.',
  params,
  responses: { 200: RemovalReply, 202: RemovalReply },
  answers: {
    200: { success: true, deletionStatus: 'confirmed', nodeStatus: 'deleted' },
    202: { success: true, deletionStatus: 'pending', nodeStatus: 'deleting' },
  },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'NODE_HAS_ACTIVE_WORKSPACES'],
});

export { removal as delete };
