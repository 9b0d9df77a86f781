import { expect, it } from 'vitest';
import { asArguments, settingChanges } from './setting-changes.js';

const changes = (last: Record<string, string>, now: Record<string, string>, ...empty: readonly string[]) =>
  settingChanges(last, now, new Set([...Object.keys(now), ...empty]));

it('finds nothing when the same is given again', () => {
  expect(changes({ superadmins: '1' }, { superadmins: '1' })).toEqual({ changed: [], forgotten: {} });
});

it('names what is new, what is changed and what is taken back', () => {
  const last = { superadmins: '1', warmNodes: '2', logLevel: 'DEBUG' };

  expect(changes(last, { superadmins: '1,2', maxNodes: '9', warmNodes: '2' }, 'logLevel')).toEqual({
    changed: ['superadmins: 1,2, before 1', 'maxNodes: 9', 'logLevel: its default, before DEBUG'],
    forgotten: {},
  });
});

it('finds what is forgotten, which is neither given nor taken back', () => {
  const { forgotten } = changes({ domainName: 'berth.example.com', logLevel: 'DEBUG' }, {}, 'logLevel');

  expect(forgotten).toEqual({ domainName: 'berth.example.com' });
  expect(asArguments(forgotten)).toEqual(['--context', 'domainName=berth.example.com']);
});
