import * as z from 'zod/mini';
import {
  CreateNodeWorkspace,
  CreateNodeWorkspaceResult,
  DeleteNodeWorkspaceResult,
  NodeWorkspaceList,
  RestartOrRebuildRequest,
  StopNodeWorkspaceResult,
} from '../../protocol/node-api.js';
import { EventPageQuery } from '../src/http/event-page.js';
import type { AgentContracts } from './contract.js';
import { EventList } from './events.js';

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

export const workspaceContracts = {
  listWorkspaces: {
    method: 'get',
    path: '/workspaces',
    token: 'node',
    summary: 'Workspaces of this node',
    answers: { 200: NodeWorkspaceList },
  },
  createWorkspace: {
    method: 'post',
    path: '/workspaces',
    token: 'management',
    summary: 'Make a workspace',
    description:
      'A repeat of the same generation changes nothing: 202 while it is being made, 200 once it runs.',
    body: CreateNodeWorkspace,
    answers: { 200: CreateNodeWorkspaceResult, 202: CreateNodeWorkspaceResult },
    errors: ['workspace_conflict', 'workspace_not_creatable', 'stale_generation'],
  },
  stopWorkspace: {
    method: 'post',
    path: '/workspaces/{workspaceId}/stop',
    token: 'management',
    summary: 'End all that runs in a workspace; its files stay',
    answers: { 200: StopNodeWorkspaceResult },
    errors: ['invalid_transition'],
  },
  restartWorkspace: {
    method: 'post',
    path: '/workspaces/{workspaceId}/restart',
    token: 'management',
    summary: 'Start what is stopped or failed, with the files it has',
    body: RestartOrRebuildRequest,
    answers: { 202: z.strictObject({ status: z.literal('creating') }) },
    errors: ['invalid_transition', 'stale_generation'],
  },
  rebuildWorkspace: {
    method: 'post',
    path: '/workspaces/{workspaceId}/rebuild',
    token: 'management',
    summary: 'Make a workspace anew around the files it has',
    body: RestartOrRebuildRequest,
    answers: { 202: z.strictObject({ status: z.literal('rebuilding') }) },
    errors: ['invalid_transition', 'stale_generation'],
  },
  deleteWorkspace: {
    method: 'delete',
    path: '/workspaces/{workspaceId}',
    token: 'management',
    summary: 'Remove all of a workspace, whether it is there or not',
    answers: { 200: DeleteNodeWorkspaceResult },
  },
  workspaceEvents: {
    method: 'get',
    path: '/workspaces/{workspaceId}/events',
    token: 'workspace',
    summary: 'What happened to a workspace, newest first',
    query: EventPageQuery,
    answers: { 200: EventList },
  },
  listTabs: {
    method: 'get',
    path: '/workspaces/{workspaceId}/tabs',
    token: 'workspace',
    summary: 'Open tabs: those that the person sees who asks, or all for the control plane',
    answers: { 200: z.strictObject({ tabs: z.array(Tab) }) },
  },
} satisfies AgentContracts;
