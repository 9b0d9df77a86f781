import { expect, it } from 'vitest';
import { helpText, printedConfig } from './config-help.js';
import { variableGroups } from './declarations.js';

const good = { NODE_ID: '01K0000000000000000000000N', CONTROL_PLANE_URL: 'https://berth.example' };
const variables = variableGroups().flatMap(([, group]) => group);

it('lists every variable with its default', () => {
  const help = helpText();

  for (const { name, fallback } of variables) expect(help).toContain(`${name}  (${fallback ?? 'none'})`);
});

it('declares no variable twice', () => {
  const names = variables.map(({ name }) => name);

  expect(new Set(names).size).toBe(names.length);
});

it('prints set variables, defaults as comments, and no secrets', () => {
  const lines = printedConfig({ ...good, LOG_LEVEL: 'debug', CALLBACK_TOKEN: 'hidden', PORT: '' }).split(
    '\n',
  );

  expect(lines).toEqual(
    expect.arrayContaining(['LOG_LEVEL=debug', 'CALLBACK_TOKEN=[redacted]', '# VM_AGENT_PORT=8443']),
  );
  expect(lines.join()).not.toContain('hidden');
});

it('prints nothing of an invalid environment', () => {
  expect(() => printedConfig({ ...good, VM_AGENT_PORT: 'x' })).toThrow('VM_AGENT_PORT must be');
});
