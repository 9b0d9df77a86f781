import { describe, expect, it } from 'vitest';
import { readSuperadmins, roleAtSignIn } from './superadmins.js';

const first = { login: 'octo', known: undefined, hasFounder: false };
const later = { ...first, hasFounder: true };

describe('where nobody is named superadmin', () => {
  const nobody = readSuperadmins(' , ');

  it('the first to sign in is', () => {
    expect(roleAtSignIn(nobody, first)).toBe('superadmin');
    expect(roleAtSignIn(nobody, later)).toBe('user');
  });

  it.each(['superadmin', 'admin', 'user'] as const)('a known %s stays one', (role) => {
    expect(roleAtSignIn(nobody, { ...later, known: { role } })).toBe(role);
  });
});

describe('where superadmins are named', () => {
  const named = readSuperadmins('Octo, mona');

  it('they are, whatever the case, and nobody else for being first', () => {
    expect(roleAtSignIn(named, later)).toBe('superadmin');
    expect(roleAtSignIn(named, { ...later, login: 'MONA' })).toBe('superadmin');
    expect(roleAtSignIn(named, { ...first, login: 'mallory' })).toBe('user');
    expect(roleAtSignIn(named, { ...first, login: 'oct' })).toBe('user');
  });

  it.each([
    ['octo', 'user', 'superadmin'],
    ['mallory', 'superadmin', 'user'],
    ['mallory', 'admin', 'admin'],
  ] as const)('%s, a %s so far, is %s from now on', (login, role, becomes) => {
    expect(roleAtSignIn(named, { login, known: { role }, hasFounder: true })).toBe(becomes);
  });
});
