import type { Member } from './member.js';

export type Role = Member['role'];

/** What each may do beyond the one below. */
export const roles = [
  ['owner', 'Owner: also detaches and hands over the project'],
  ['admin', 'Admin: also members, settings and credentials'],
  ['maintainer', 'Maintainer: starts tasks and workspaces'],
  ['viewer', 'Viewer: reads'],
] as const satisfies readonly (readonly [Role, string])[];

const [, ...invited] = roles;
/** Nobody is invited as the owner. */
export const invitedRoles = invited;
