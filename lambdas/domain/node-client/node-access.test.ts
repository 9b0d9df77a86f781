import { beforeEach, describe, expect, it } from 'vitest';
import { longestHoldSeconds } from '../../route-row.js';
import { newId } from '../../shared/ids.js';
import type { SigningKeys } from '../../shared/signing-keys.js';
import { ManagementTokens, nodeTimeouts } from './node-access.js';

const signed: string[] = [];
const keys: SigningKeys = {
  issuer: 'https://berth.example',
  publicKeys: async () => [],
  signingKeyId: async () => 'key-one',
  sign: async (message) => {
    signed.push(Buffer.from(message).toString());
    return new Uint8Array(64);
  },
};

const subject = { sub: newId(), node: newId(), workspace: newId() };
const now = new Date();
const later = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

let tokens: ManagementTokens;
beforeEach(() => {
  signed.length = 0;
  tokens = new ManagementTokens(keys);
});

describe('a token for calls to a node', () => {
  it('is used again until the last minute of its life', async () => {
    const first = await tokens.of(subject, now);

    expect(await tokens.of(subject, later(230))).toBe(first);
    expect(signed).toHaveLength(1);
    expect(await tokens.of(subject, later(250))).not.toBe(first);
  });

  it.each(['sub', 'node', 'workspace'] as const)('is for one %s only', async (claim) => {
    const first = await tokens.of(subject, now);
    const other = { ...subject, [claim]: newId() };

    expect(await tokens.of(other, now)).not.toBe(first);
    expect(await tokens.of(subject, now)).toBe(first);
  });

  it('is signed again for a clock that was put back', async () => {
    const first = await tokens.of(subject, now);

    expect(await tokens.of(subject, later(-60))).not.toBe(first);
  });
});

it.each([
  ['a short call of a node, or a tool', {}, nodeTimeouts.request],
  ['a read of a node', { readsNode: 'answer' }, nodeTimeouts.read],
  ['the bytes of a file', { readsNode: 'bytes' }, nodeTimeouts.transfer],
] as const)(
  'leaves a route with %s a second when a former address of the node is silent first',
  (_, row, call) => {
    expect(longestHoldSeconds(row) * 1_000).toBeGreaterThanOrEqual(nodeTimeouts.connect + call + 1_000);
  },
);
