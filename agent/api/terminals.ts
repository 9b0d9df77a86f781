import * as z from 'zod/mini';
import type { AgentContracts } from './contract.js';

/** The default size replaces a value that is no size. */
const SizeQuery = z.object({ rows: z.optional(z.string()), cols: z.optional(z.string()) });

export const terminalContracts = {
  terminalSocket: {
    method: 'get',
    path: '/terminal/ws',
    token: 'terminal',
    workspace: 'running',
    summary: 'Socket: open one shell, which ends with the socket',
    description: 'Frames: docs/agent-sockets.md.',
    query: SizeQuery,
    responses: { 101: null },
    errors: ['not_found', 'invalid_transition'],
  },
  terminalsSocket: {
    method: 'get',
    path: '/terminal/ws/multi',
    token: 'terminal',
    workspace: 'running',
    summary: 'Socket: use all shells of a person in a workspace, with replay',
    description: 'Frames: docs/agent-sockets.md.',
    responses: { 101: null },
    errors: ['not_found', 'invalid_transition'],
  },
} satisfies AgentContracts;
