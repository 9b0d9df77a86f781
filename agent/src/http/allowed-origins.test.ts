import { expect, it } from 'vitest';
import { AllowedOrigins } from './allowed-origins.js';

const derived = new AllowedOrigins(null, 'https://api.berth.example.com');
const chosen = new AllowedOrigins(
  ['https://one.example', 'https://ws-*.two.example:8443'],
  'https://berth.example',
);

it.each([
  ['the control plane', derived, 'https://api.berth.example.com', true],
  ['a host under its domain, as workspaces may be', derived, 'https://ws-1.nodes.berth.example.com', false],
  ['a look-alike', derived, 'https://evilberth.example.com', false],
  ['plain HTTP', derived, 'http://console.berth.example.com', false],
  ['a suffix as a name', derived, 'https://console.berth.example.com.evil.example', false],
  ['a foreign host with the suffix in its path', derived, 'https://evil.example/.berth.example.com', false],
  ['another port', derived, 'https://evil.example:1.berth.example.com', false],
  ['a sandboxed page', derived, 'null', false],
  ['a chosen origin', chosen, 'https://one.example', true],
  ['a chosen pattern', chosen, 'https://ws-7.two.example:8443', true],
  ['a pattern without its middle', chosen, 'https://ws-.two.example:8443', false],
  ['the control plane where others are chosen', chosen, 'https://berth.example', false],
])('%s', (_, rule, origin, isAllowed) => {
  expect(rule.allows(origin)).toBe(isAllowed);
});

it('allows only the control plane when it has no domain', () => {
  const rule = new AllowedOrigins(null, 'http://127.0.0.1:8787');

  expect(rule.allows('http://127.0.0.1:8787')).toBe(true);
  expect(rule.allows('https://x.127.0.0.1')).toBe(false);
});

it('allows the console at both addresses after it has moved, and only where none are chosen', () => {
  const origins = new AllowedOrigins(null, 'https://d111.cloudfront.net');
  const fixed = new AllowedOrigins(['https://one.example'], 'https://d111.cloudfront.net');

  for (const each of [origins, fixed]) each.add('https://berth.example.com/');

  expect(origins.allows('https://berth.example.com')).toBe(true);
  expect(origins.allows('https://d111.cloudfront.net')).toBe(true);
  expect(fixed.allows('https://berth.example.com')).toBe(false);
});
