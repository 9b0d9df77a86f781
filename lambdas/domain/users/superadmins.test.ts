import { describe, expect, it } from 'vitest';
import { readSuperadmins, roleOf } from './superadmins.js';

describe('the superadmins setting', () => {
  it('lists numeric ids; a login in it names nobody', () => {
    expect([...readSuperadmins(' 1001, 42,octo,,-1, 007')]).toEqual(['1001', '42']);
  });
});

describe('the role of a person', () => {
  const named = readSuperadmins('1001');

  it.each([
    ['1001', 'user', 'superadmin'],
    ['1002', 'superadmin', 'user'],
    ['1002', 'admin', 'admin'],
    ['100', 'user', 'user'],
  ] as const)('with the id %s and the stored role %s is %s', (githubId, role, is) => {
    expect(roleOf(named, { githubId, role })).toBe(is);
  });

  it('is never superadmin where the setting names nobody', () => {
    expect(roleOf(readSuperadmins(''), { githubId: '1001', role: 'superadmin' })).toBe('user');
  });
});
