import * as z from 'zod/mini';
import type { AgentContracts } from './contract.js';

/** What is no size becomes the default. */
const SizeQuery = z.object({ rows: z.optional(z.string()), cols: z.optional(z.string()) });

export const terminalContracts = {
  terminalSocket: {
    method: 'get',
    path: '/terminal/ws',
    token: 'terminal',
    summary: 'Socket: one shell, which ends with it',
    description: 'Frames: docs/agent-sockets.md.',
    query: SizeQuery,
    answers: { 101: null },
    errors: ['not_found', 'invalid_transition'],
  },
  terminalsSocket: {
    method: 'get',
    path: '/terminal/ws/multi',
    token: 'terminal',
    summary: 'Socket: all shells of a person in a workspace, with replay',
    description: 'Frames: docs/agent-sockets.md.',
    answers: { 101: null },
    errors: ['not_found', 'invalid_transition'],
  },
} satisfies AgentContracts;
