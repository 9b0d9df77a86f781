import * as z from 'zod/mini';
import {
  CreateNodeWorkspace,
  CreateNodeWorkspaceResult,
  DeleteNodeWorkspaceResult,
  NodeWorkspaceList,
  RestartOrRebuildRequest,
  StopNodeWorkspaceResult,
} from '../../protocol/node-api.js';
import { StopForSleep } from '../../protocol/snapshots.js';
import type { AgentContracts } from './contract.js';
import { EventList, EventPageQuery } from './events.js';

const tab = {
  id: z.string(),
  workspaceId: z.string(),
  label: z.string(),
  sortOrder: z.int(),
  createdAt: z.string(),
};
const Tab = z.discriminatedUnion('type', [
  z.strictObject({ ...tab, type: z.literal('terminal') }),
  z.strictObject({
    ...tab,
    type: z.literal('chat'),
    agentId: z.nullable(z.string()),
    acpSessionId: z.nullable(z.string()),
    lastPrompt: z.nullable(z.string()),
  }),
]);

/** Without a body the workspace keeps its generation. */
const OptionalRequest = z._default(RestartOrRebuildRequest, {});

const OptionalStop = z._default(z.partial(StopForSleep), {});

export const workspaceContracts = {
  listWorkspaces: {
    method: 'get',
    path: '/workspaces',
    token: 'node',
    summary: 'List the workspaces of this node',
    responses: { 200: NodeWorkspaceList },
  },
  createWorkspace: {
    method: 'post',
    path: '/workspaces',
    token: 'management',
    summary: 'Create a workspace',
    description:
      'Repeating the request with the same generation changes nothing: it returns 202 while the workspace is created and 200 when it runs.',
    body: CreateNodeWorkspace,
    responses: { 200: CreateNodeWorkspaceResult, 202: CreateNodeWorkspaceResult },
    errors: ['workspace_conflict', 'workspace_not_creatable', 'stale_generation'],
  },
  stopWorkspace: {
    method: 'post',
    path: '/workspaces/{workspaceId}/stop',
    token: 'management',
    summary: 'Stop a workspace and keep its files',
    description:
      'With `snapshotOperationId` the workspace stops only when nothing changed since that capture: 409 `changed_since_snapshot` else. A repeat for a workspace that went to sleep succeeds.',
    body: OptionalStop,
    responses: { 200: StopNodeWorkspaceResult },
    errors: ['invalid_transition', 'changed_since_snapshot'],
  },
  restartWorkspace: {
    method: 'post',
    path: '/workspaces/{workspaceId}/restart',
    token: 'management',
    summary: 'Start a stopped, failed or evicted workspace with its existing files',
    description:
      'A workspace that has an eviction generation needs `evictionGeneration`, which begins, and `expectedEvictionGeneration`, which ends: 409 `invalid_transition` when it is another.',
    body: OptionalRequest,
    responses: { 202: z.strictObject({ status: z.literal('creating') }) },
    errors: ['invalid_transition', 'stale_generation'],
  },
  rebuildWorkspace: {
    method: 'post',
    path: '/workspaces/{workspaceId}/rebuild',
    token: 'management',
    summary: 'Rebuild the container of a workspace and keep its files',
    description: 'Takes the eviction generations of a restart.',
    body: OptionalRequest,
    responses: { 202: z.strictObject({ status: z.literal('rebuilding') }) },
    errors: ['invalid_transition', 'stale_generation'],
  },
  deleteWorkspace: {
    method: 'delete',
    path: '/workspaces/{workspaceId}',
    token: 'management',
    summary: 'Delete a workspace and all its files',
    description: 'Deleting a workspace that the node does not have succeeds.',
    responses: { 200: DeleteNodeWorkspaceResult },
  },
  workspaceEvents: {
    method: 'get',
    path: '/workspaces/{workspaceId}/events',
    token: 'workspace',
    workspace: 'present',
    summary: 'List the events of a workspace, newest first',
    query: EventPageQuery,
    responses: { 200: EventList },
  },
  listTabs: {
    method: 'get',
    path: '/workspaces/{workspaceId}/tabs',
    token: 'workspace',
    workspace: 'present',
    summary: 'List open tabs',
    description: 'A person gets the tabs that are visible to them; the control plane gets all.',
    responses: { 200: z.strictObject({ tabs: z.array(Tab) }) },
  },
} satisfies AgentContracts;
