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
  summary: 'The users of the deployment, newest first',
  query: z.strictObject(pageQuery),
  responses: { 200: z.object({ users: z.array(Person), nextCursor }) },
});

export const changeUser = contract({
  summary: 'Suspend or reactivate a user, or change their role',
  description:
    'A suspension and a change of role end all sessions of the user from the next request on. A suspension also refuses their agents and workspaces at once, and stops both within two minutes; files are kept. A reactivation restarts nothing. Superadmins, oneself included, are changed by the setting `superadmins` only. Repeating the call changes nothing.',
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
