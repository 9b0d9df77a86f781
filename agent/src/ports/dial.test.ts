import { expect, it } from 'vitest';
import { dialAddresses } from './dial.js';

const at = (...addresses: string[]) => addresses.map((address) => ({ address, port: 3000, inode: address }));

it.each([
  [['127.0.0.1'], ['127.0.0.1']],
  [['0.0.0.0'], ['127.0.0.1']],
  [['::1'], ['::1']],
  [['::'], ['127.0.0.1', '::1']],
  [['172.17.0.2'], ['172.17.0.2']],
  [
    ['127.0.0.1', '::1'],
    ['127.0.0.1', '::1'],
  ],
  [
    ['0.0.0.0', '::'],
    ['127.0.0.1', '::1'],
  ],
])('reaches what listens at %s', (addresses, expected) => {
  expect(dialAddresses(at(...addresses), [])).toEqual(expected);
});

it.each([
  // A foreign service of one address family must not be taken for the workspace's service of the
  // other.
  [['::'], ['127.0.0.1'], ['::1']],
  [['::'], ['0.0.0.0'], ['::1']],
  [['0.0.0.0'], ['127.0.0.1'], []],
  [['127.0.0.2'], ['127.0.0.1'], ['127.0.0.2']],
  [['127.0.0.1'], ['::'], []],
])('with %s, never reaches %s of somebody else', (own, others, expected) => {
  expect(dialAddresses(at(...own), at(...others))).toEqual(expected);
});
