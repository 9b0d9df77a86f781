import { expect, inject, it } from 'vitest';
import { chooseDemoAgent } from '../../local/demo-agent/choose-demo-agent.js';
import { Person } from '../support/person.js';

it('is made the default of a person who has chosen no agent, and of nobody else', async () => {
  const { url } = inject('cloud');
  const hubot = await Person.signIn(url, 'hubot');
  const settingsOf = async () => (await hubot.get('/api/settings/agents')).body.settings;
  const store = (json: object) => hubot.request('PUT', '/api/settings/agents', { json });
  await store({ systemPromptAppend: 'Be short' });

  expect(await chooseDemoAgent(url, 'hubot')).toBe(true);
  expect(await settingsOf()).toMatchObject({
    agentType: 'opencode',
    agentDefaults: { opencode: { model: 'demo/script', permissionMode: 'default' } },
    systemPromptAppend: 'Be short',
  });
  expect(await chooseDemoAgent(url, 'hubot')).toBe(true);

  await store({ agentType: 'claude-code' });
  expect(await chooseDemoAgent(url, 'hubot')).toBe(false);
  expect(await settingsOf()).toMatchObject({ agentType: 'claude-code' });
  await store({});
});
