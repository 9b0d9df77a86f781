import { expect, it } from 'vitest';
import { hideSecrets } from './log.js';

it('hides fields with the name of a secret at any depth and keeps the others', () => {
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
