/** What a member of a project can be allowed to do; `capabilitiesOf` (member.ts) gives the capabilities of each role. */
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
