import * as z from 'zod/mini';
import { EndSessions, EndSessionsResult } from '../../protocol/node-api.js';
import type { AgentContracts } from './contract.js';

export const nodeContracts = {
  health: {
    method: 'get',
    path: '/health',
    token: 'none',
    summary: 'Whether the agent lives',
    answers: { 200: z.strictObject({ status: z.literal('healthy') }) },
  },
  endSessions: {
    method: 'post',
    path: '/sessions/ended',
    token: 'node',
    summary: 'Sign-in sessions that are over: their sockets close and their tokens are refused',
    body: EndSessions,
    answers: { 200: EndSessionsResult },
  },
} satisfies AgentContracts;
