import * as z from 'zod/mini';
import type { AgentContracts } from './contract.js';

export const nodeContracts = {
  health: {
    method: 'get',
    path: '/health',
    token: 'none',
    summary: 'Whether the agent lives',
    answers: { 200: z.strictObject({ status: z.literal('healthy') }) },
  },
} satisfies AgentContracts;
