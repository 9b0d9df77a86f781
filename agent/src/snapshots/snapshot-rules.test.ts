import { expect, it } from 'vitest';
import { isKeptSetting } from './snapshot-rules.js';

it.each([
  ['branch.main.remote', true],
  ['user.email', true],
  ['core.hooksPath', true],
  ['remote.origin.url', false],
  ['http.https://example.com/.extraheader', false],
  ['credential.helper', false],
  ['url.https://token@example.com/.insteadof', false],
  ['merge.ours.driver', false],
  ['diff.x.command', false],
  ['core.sshCommand', false],
  ['user.signingKey', false],
])('captures the git setting %s: %s', (key, expected) => {
  expect(isKeptSetting(key)).toBe(expected);
});
