import { expect, it } from 'vitest';
import { userData } from './bootstrap.js';

const boot = {
  NODE_ID: '01JD0000000000000000000000',
  CONTROL_PLANE_URL: 'https://berth.example',
  BOOTSTRAP_TOKEN: 'abc_-123',
};

it('puts the boot environment where the unit reads it, for root only', () => {
  const [head, body] = userData(boot).split('\n');

  expect(head).toBe('#cloud-config');
  expect(JSON.parse(body ?? '')).toEqual({
    write_files: [
      {
        path: '/etc/svc/node.env',
        owner: 'root:root',
        permissions: '0600',
        content:
          'NODE_ID=01JD0000000000000000000000\nCONTROL_PLANE_URL=https://berth.example\nBOOTSTRAP_TOKEN=abc_-123\n',
      },
    ],
  });
});
