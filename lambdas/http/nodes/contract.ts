import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { contract } from '../../edge/contract.js';
import { nextCursor, pageQuery } from '../../edge/page-query.js';
import { WorkspaceView } from '../workspaces/workspace-view.js';
import { NodeView } from './node-view.js';

const params = z.object({ nodeId: Ulid });

export const list = contract({
  summary: 'Your nodes, newest first',
  query: z.strictObject(pageQuery),
  responses: { 200: z.object({ nodes: z.array(NodeView), nextCursor }) },
});

export const get = contract({
  summary: 'A node, its health and the workspaces on it',
  params,
  responses: { 200: z.extend(NodeView, { workspaces: z.array(WorkspaceView) }) },
  errors: ['NOT_FOUND'],
});

export const stop = contract({
  summary: 'Stop a node',
  description: 'Every workspace on it must have been stopped: 409 names those that are not.',
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
  summary: 'Delete a node, its instance and its DNS records',
  description:
    '202: under way; it is gone when EC2 says that the instance is terminated, and 200 when a repeat finds it so. 409 names the workspaces that hold places on it.',
  params,
  responses: { 200: RemovalReply, 202: RemovalReply },
  answers: {
    200: { success: true, deletionStatus: 'confirmed', nodeStatus: 'deleted' },
    202: { success: true, deletionStatus: 'pending', nodeStatus: 'deleting' },
  },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'NODE_HAS_ACTIVE_WORKSPACES'],
});

export { removal as delete };
