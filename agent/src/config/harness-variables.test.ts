import { expect, it } from 'vitest';
import { readConfig } from './config.js';

const good = { NODE_ID: '01K0000000000000000000000N', CONTROL_PLANE_URL: 'https://berth.example' };

it.each([
  ['https://usage.example/v1', 'https://usage.example/v1'],
  ['http://localhost:1/x', 'http://localhost:1/x'],
  ['http://127.0.0.1:1/x', 'http://127.0.0.1:1/x'],
  ['http://[::1]:1/x', 'http://[::1]:1/x'],
  ['none', null],
])('asks for usage at %s', (given, address) => {
  expect(readConfig({ ...good, PROVIDER_GO_USAGE_URL: given }).harness.usage.address).toBe(address);
});

it.each([
  'http://usage.example',
  'http://localhost.example/',
  'https://me:secret@usage.example',
  'file:///x',
  'x',
])('does not ask for usage at %s', (given) => {
  expect(() => readConfig({ ...good, PROVIDER_GO_USAGE_URL: given })).toThrow(
    /^PROVIDER_GO_USAGE_URL must be/,
  );
});

it('accepts other commands for known kinds of agents', () => {
  const commands = { 'claude-code': ['/opt/claude', '--x'] };

  expect(readConfig({ ...good, ACP_COMMAND_OVERRIDES: JSON.stringify(commands) }).harness.commands).toEqual(
    commands,
  );
});

it.each(['{"claude-code":[]}', '{"claude":["x"]}', '{"amp":"x"}', '[', '[]'])('refuses %s', (given) => {
  expect(() => readConfig({ ...good, ACP_COMMAND_OVERRIDES: given })).toThrow(
    /^ACP_COMMAND_OVERRIDES must be/,
  );
});
