import { expect, it } from 'vitest';
import { originRule } from './allowed-origins.js';

const derived = originRule(null, 'https://api.berth.example.com');
const chosen = originRule(['https://one.example', 'https://ws-*.two.example:8443'], 'https://berth.example');

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
  expect(rule(origin)).toBe(isAllowed);
});

it('allows only the control plane when it has no domain', () => {
  const rule = originRule(null, 'http://127.0.0.1:8787');

  expect(rule('http://127.0.0.1:8787')).toBe(true);
  expect(rule('https://x.127.0.0.1')).toBe(false);
});
