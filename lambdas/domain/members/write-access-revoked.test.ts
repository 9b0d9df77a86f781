import { expect, it } from 'vitest';
import { type Member, type MemberRole, memberItem } from '../projects/member.js';
import { revokedWriteAccess } from './write-access-revoked.js';

const id = '01JD0000000000000000000000';
const at = '2026-11-21T10:00:00.000Z';
const project = {
  ...{ name: 'Hello', description: null, installationId: '5001', repository: 'octo/hello' },
  ...{ defaultBranch: 'main', status: 'active' as const, createdAt: at, updatedAt: at },
};
const member = (role: MemberRole, overrides: Partial<Member> = {}) =>
  memberItem({ projectId: id, userId: id, role, status: 'active', project, joinedAt: at, ...overrides });

it.each([
  {
    what: 'is removed',
    before: member('admin'),
    after: member('admin', { status: 'removed', version: 7 }),
    version: 7,
  },
  {
    what: 'is suspended',
    before: member('maintainer'),
    after: member('maintainer', { status: 'suspended' }),
    version: 0,
  },
  {
    what: 'may only look on',
    before: member('maintainer'),
    after: member('viewer', { version: 2 }),
    version: 2,
  },
  { what: 'is no more in the table', before: member('owner'), after: undefined, version: 0 },
])('somebody who $what has lost their work', ({ before, after, version }) => {
  expect(revokedWriteAccess(before, after)).toEqual({ projectId: id, userId: id, version });
});

it.each([
  { what: 'joins', before: undefined, after: member('viewer') },
  { what: 'rises', before: member('viewer'), after: member('admin') },
  { what: 'may still work', before: member('admin'), after: member('maintainer') },
  { what: 'could only look on', before: member('viewer'), after: member('viewer', { status: 'removed' }) },
  { what: 'had been removed before', before: member('admin', { status: 'removed' }), after: undefined },
  { what: 'is a project', before: { entity: 'project' }, after: undefined },
])('who $what has lost nothing', ({ before, after }) => {
  expect(revokedWriteAccess(before, after)).toBeUndefined();
});
