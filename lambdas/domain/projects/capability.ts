/** Capabilities of members; `capabilitiesOf` (member.ts) lists those of each role. */
export const capabilities = [
  'project:read',
  'project:update',
  'project:delete',
  'project:transfer_ownership',
  'task:read',
  'task:write',
  'workspace:read',
  'workspace:write',
  'secret:read',
  'secret:write',
  'member:manage',
] as const;
export type Capability = (typeof capabilities)[number];
