import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { contract } from '../../edge/contract.js';
import { nextCursor, pageQuery } from '../../edge/contract-parts.js';

const Person = z.object({
  id: Ulid,
  login: z.string(),
  /** Numeric id of the account on the code host. */
  githubId: z.string(),
  name: z.string(),
  email: z.nullable(z.string()),
  role: z.enum(['superadmin', 'admin', 'user']),
  status: z.enum(['active', 'pending', 'suspended']),
  /** Null while they are active. */
  suspendedBy: z.nullable(z.enum(['superadmin', 'policy'])),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export const users = contract({
  summary: 'List the users of the deployment, newest first',
  description: 'Only superadmins can call it. Suspended users are in the list.',
  query: z.strictObject(pageQuery),
  responses: { 200: z.object({ users: z.array(Person), nextCursor }) },
});

export const changeUser = contract({
  summary: 'Suspend or reactivate a user, or change their role',
  description:
    'A suspension or a change of role ends all sign-in sessions of the user: the next request is refused. A suspension also refuses the agents and workspaces of the user at once and stops them within two minutes; files are kept. A reactivation restarts nothing. Only the setting `superadmins` changes a superadmin. Repeating the call changes nothing.',
  params: z.object({ userId: Ulid }),
  body: z
    .strictObject({
      status: z.optional(z.enum(['active', 'suspended'])),
      role: z.optional(z.enum(['admin', 'user'])),
    })
    .check(z.refine(({ status, role }) => status !== undefined || role !== undefined, 'Name status or role')),
  example: { status: 'suspended' },
  responses: { 200: Person },
  errors: ['NOT_FOUND', 'SUPERADMIN_BY_SETTING', 'CONFLICT'],
});
