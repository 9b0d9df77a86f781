import { expect, it } from 'vitest';
import { ChannelName, isPairChannel, OrdinaryChannelName } from '../event-channels/channel-name.js';
import { pairChannelName } from './pair-channel.js';

it('is the same for both chats, and another one for other chats and projects', () => {
  const name = pairChannelName('P', ['A', 'B']);

  expect(name).toMatch(/^agent-dm\.[0-9a-f]{40}$/);
  expect(pairChannelName('P', ['B', 'A'])).toBe(name);
  expect(pairChannelName('P', ['A', 'C'])).not.toBe(name);
  expect(pairChannelName('Q', ['A', 'B'])).not.toBe(name);
});

it('is a name that agents can read and neither publish to nor follow', () => {
  const name = pairChannelName('P', ['A', 'B']);

  expect(isPairChannel(name)).toBe(true);
  expect(ChannelName.safeParse(name).success).toBe(true);
  expect(OrdinaryChannelName.safeParse(name).success).toBe(false);
});

it.each(['a', '0-x', 'a.b_c-d', 'x'.repeat(64), 'agent-dm'])('%s is an ordinary name', (name) => {
  expect(OrdinaryChannelName.safeParse(name).success).toBe(true);
});

it.each(['', '.a', '-a', 'A', 'a b', 'ä', 'x'.repeat(65), 'a/b', 'a#b'])('%j is no name', (name) => {
  expect(ChannelName.safeParse(name).success).toBe(false);
});
