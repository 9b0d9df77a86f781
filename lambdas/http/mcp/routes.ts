import type { Route } from '../../route-row.js';

export const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/mcp',
    file: 'mcp/call',
    auth: { kind: 'mcp' },
    grants: [
      'table:write',
      'tokens:sign',
      'saga:run-task',
      'saga:end-run',
      'prompts:wake-up',
      'history:read',
    ],
    limit: 'MCP',
  },
];
