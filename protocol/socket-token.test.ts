import { expect, it } from 'vitest';
import { protocolsWith, selectProtocol, tokenOfProtocols } from './socket-token.js';

it('reads the token that a client offers, and does not select it', () => {
  const offered = protocolsWith('a.b-c._d');

  expect(tokenOfProtocols(offered.join(', '))).toBe('a.b-c._d');
  expect(selectProtocol(new Set(offered))).toBe('berth');
  expect(selectProtocol(new Set(offered.toReversed()))).toBe('berth');
});

it.each([undefined, '', 'chat', 'berth', ['berth.token.x']])('finds no token in %j', (header) => {
  expect(tokenOfProtocols(header)).toBe(null);
});

it('selects nothing when a client offers only a token, or nothing', () => {
  expect(selectProtocol(new Set(['berth.token.x']))).toBe(false);
  expect(selectProtocol(new Set())).toBe(false);
});
