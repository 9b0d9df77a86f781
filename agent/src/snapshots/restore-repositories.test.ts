import { expect, it } from 'vitest';
import { reasonOf } from './restore-repositories.js';

it('redacts and shortens the reason of a failure', () => {
  expect(reasonOf(new Error('fetch https://x:ghp_0123456789ab@host failed'))).not.toContain('0123456789');
  expect(reasonOf(new Error('x'.repeat(9_000)))).toHaveLength(500);
  expect(reasonOf('a text that was thrown')).toBe('a text that was thrown');
});
