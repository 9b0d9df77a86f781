import { expect, it } from 'vitest';
import { fieldOf, readAgentDefaults } from './agent-defaults.js';

const formOf = (fields: Readonly<Record<string, string>>) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
};

it('has what is set, by type of agent', () => {
  const data = formOf({
    [fieldOf('claude-code', 'model')]: ' claude-opus-4-5 ',
    [fieldOf('claude-code', 'effort')]: 'high',
    [fieldOf('claude-code', 'permissionMode')]: '',
    [fieldOf('opencode', 'opencodeProvider')]: 'custom',
    [fieldOf('opencode', 'opencodeBaseUrl')]: 'https://models.example.com/v1',
    [fieldOf('amp', 'model')]: '',
  });
  expect(readAgentDefaults(data)).toEqual({
    'claude-code': { model: 'claude-opus-4-5', effort: 'high' },
    opencode: { opencodeProvider: 'custom', opencodeBaseUrl: 'https://models.example.com/v1' },
  });
});

it('is null when nothing is set, and drops a choice that there is not', () => {
  expect(readAgentDefaults(formOf({ [fieldOf('amp', 'effort')]: 'boundless' }))).toBeNull();
});
