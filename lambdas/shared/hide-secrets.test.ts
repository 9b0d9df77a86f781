import { expect, it } from 'vitest';
import { hideSecrets } from './hide-secrets.js';

it('hides what is named like a secret at any depth and keeps the rest', () => {
  const entry = {
    nodeId: 'N1',
    callbackToken: 'abc',
    deep: [{ clientSecret: 'x', Authorization: 'Bearer y' }],
  };

  const written = JSON.stringify(entry, hideSecrets);

  expect(JSON.parse(written)).toEqual({
    nodeId: 'N1',
    callbackToken: '[hidden]',
    deep: [{ clientSecret: '[hidden]', Authorization: '[hidden]' }],
  });
});
