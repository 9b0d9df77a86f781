export const serverInfo = { name: 'svc-mcp', title: 'Berth', version: '1.0.0' } as const;

/** The server, as both revisions name it. */
export const serverParts = {
  capabilities: { tools: { listChanged: false } },
  instructions: 'Call get_instructions first. It returns your task and the instructions for it.',
} as const;
