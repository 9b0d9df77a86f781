import * as z from 'zod/mini';
import { EndSessions, EndSessionsResult } from '../../protocol/node-api.js';
import type { AgentContracts } from './contract.js';

export const nodeContracts = {
  health: {
    method: 'get',
    path: '/health',
    token: 'none',
    summary: 'Check that the agent runs',
    responses: { 200: z.strictObject({ status: z.literal('healthy') }) },
  },
  endSessions: {
    method: 'post',
    path: '/sessions/ended',
    token: 'node',
    summary: 'Report sign-in sessions that have ended',
    description:
      'The node closes the sockets of these sessions and refuses their tokens. Reporting a session again has no further effect.',
    body: EndSessions,
    responses: { 200: EndSessionsResult },
  },
} satisfies AgentContracts;
