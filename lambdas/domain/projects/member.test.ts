import { describe, expect, it } from 'vitest';
import { capabilities, capabilitiesOf, MemberRole } from './member.js';

/** Who may do what in a project, written out: a change of it must be meant. */
const mayDo: Readonly<Record<(typeof capabilities)[number], readonly MemberRole[]>> = {
  'project:read': ['owner', 'admin', 'maintainer', 'viewer'],
  'project:update': ['owner', 'admin'],
  'project:delete': ['owner'],
  'project:transfer_ownership': ['owner'],
  'task:read': ['owner', 'admin', 'maintainer', 'viewer'],
  'task:write': ['owner', 'admin', 'maintainer'],
  'workspace:read': ['owner', 'admin', 'maintainer', 'viewer'],
  'workspace:write': ['owner', 'admin', 'maintainer'],
  'secret:read': ['owner', 'admin', 'maintainer'],
  'secret:write': ['owner', 'admin'],
  'member:manage': ['owner', 'admin'],
};

describe.each(capabilities)('%s', (capability) => {
  it.each(MemberRole.options)('is given to a %s as the table says', (role) => {
    expect(capabilitiesOf[role].includes(capability)).toBe(mayDo[capability].includes(role));
  });
});
