import { expect, it } from 'vitest';
import { type AgentType, agentTypes } from '../../../protocol/agent-sessions.js';
import type { CredentialKind } from './harness-kind.js';
import { harnessKinds } from './harness-kinds.js';

const none = {
  model: null,
  permissionMode: null,
  effort: null,
  opencodeProvider: null,
  opencodeBaseUrl: null,
};

it.each(agentTypes)('describes %s, with a version for each package', (type) => {
  const kind = harnessKinds[type];

  expect(kind.type).toBe(type);
  const packages = kind.installs.flatMap((one) => (one.by === 'npm' ? one.packages : [one.tool]));
  for (const name of packages) expect(name).toMatch(/.(?:@|==)\d+\.\d+\.\d+(?:-\w+)?$/);
  for (const file of kind.signInFiles) expect(file).not.toMatch(/^\/|\.\./);
});

it.each<[AgentType, object, CredentialKind | null, object]>([
  ['claude-code', {}, 'api-key', {}],
  [
    'claude-code',
    { model: 'opus', effort: 'high' },
    null,
    { ANTHROPIC_MODEL: 'opus', CLAUDE_CODE_EFFORT_LEVEL: 'high' },
  ],
  ['claude-code', { permissionMode: 'bypassPermissions' }, null, { IS_SANDBOX: '1' }],
  [
    'google-gemini',
    { model: 'pro' },
    null,
    { GEMINI_MODEL: 'pro', GEMINI_CLI_NO_RELAUNCH: 'true', GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  ],
  ['mistral-vibe', { model: 'devstral' }, null, { PYTHONUNBUFFERED: '1', VIBE_ACTIVE_MODEL: 'devstral' }],
  ['amp', { model: 'any' }, null, { PYTHONUNBUFFERED: '1' }],
])('sets the environment of %s for %j', (type, settings, credential, environment) => {
  expect(harnessKinds[type].environment({ ...none, ...settings }, credential)).toEqual(environment);
});

it.each<[object, CredentialKind, string, object]>([
  [{}, 'oauth-token', 'read-only', { sandbox_mode: 'read-only', approval_policy: 'on-request' }],
  [
    { permissionMode: 'bypassPermissions', effort: 'max' },
    'api-key',
    'agent-full-access',
    { sandbox_mode: 'danger-full-access', approval_policy: 'never', model_reasoning_effort: 'xhigh' },
  ],
  [
    { permissionMode: 'plan', model: 'gpt' },
    'api-key',
    'read-only',
    { sandbox_mode: 'read-only', approval_policy: 'on-request', model: 'gpt' },
  ],
  [
    { permissionMode: 'acceptEdits' },
    'api-key',
    'workspace-write',
    { sandbox_mode: 'workspace-write', approval_policy: 'on-request' },
  ],
])('configures Codex for %j with %s', (settings, credential, mode, configuration) => {
  const environment = harnessKinds['openai-codex'].environment({ ...none, ...settings }, credential);

  expect(JSON.parse(environment.CODEX_CONFIG ?? '')).toEqual(configuration);
  expect(environment.INITIAL_AGENT_MODE).toBe(mode);
  expect(environment.DEFAULT_AUTH_REQUEST).toBe(
    credential === 'api-key' ? '{"methodId":"api-key"}' : undefined,
  );
});

it.each([null, 'default', 'dontAsk', 'plan', 'acceptEdits', 'unknown'])(
  'starts Codex and OpenCode without full access for %j',
  (permissionMode) => {
    const settings = { ...none, permissionMode };
    const codex = harnessKinds['openai-codex'].environment(settings, null);
    const opencode = harnessKinds.opencode.environment(settings, null);

    expect(codex.INITIAL_AGENT_MODE).not.toBe('agent-full-access');
    expect(codex.CODEX_CONFIG).not.toMatch(/danger-full-access|never/);
    expect(JSON.parse(opencode.OPENCODE_CONFIG_CONTENT ?? '').permission).toMatchObject({ bash: 'ask' });
  },
);

it.each([
  [{}, { model: 'opencode/claude-sonnet-4-6' }],
  [{ model: '{env:OPENCODE_API_KEY}' }, { model: 'opencode/claude-sonnet-4-6' }],
  [{ opencodeProvider: 'opencode-go' }, { model: 'opencode-go/glm-5.2' }],
  [{ opencodeProvider: 'opencode-go', model: 'opencode-go/other' }, { model: 'opencode-go/other' }],
  [
    { opencodeProvider: 'custom', model: 'llama', opencodeBaseUrl: 'http://10.0.0.9/v1' },
    {
      model: 'custom/llama',
      provider: {
        custom: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Custom',
          options: { baseURL: 'http://10.0.0.9/v1' },
          models: { llama: {} },
        },
      },
    },
  ],
])('configures OpenCode for %j', (settings, configuration) => {
  const bypass = { ...none, permissionMode: 'bypassPermissions', ...settings };
  const { OPENCODE_CONFIG_CONTENT } = harnessKinds.opencode.environment(bypass, null);

  expect(JSON.parse(OPENCODE_CONFIG_CONTENT ?? '')).toEqual({
    autoupdate: false,
    share: 'disabled',
    ...configuration,
  });
});

it('puts no key into the configuration of OpenCode, only the name of its variable', () => {
  const settings = { ...none, opencodeProvider: 'custom', model: 'llama' };
  const { OPENCODE_CONFIG_CONTENT } = harnessKinds.opencode.environment(settings, 'api-key');

  expect(OPENCODE_CONFIG_CONTENT).toContain('{env:OPENCODE_API_KEY}');
});

it.each([
  [{}, false],
  [{ model: 'opencode/claude-sonnet-4-6' }, false],
  [{ opencodeProvider: 'opencode-go' }, false],
  [{ model: 'opencode-go/glm-5.2' }, false],
  [{ opencodeProvider: 'custom' }, true],
  [{ model: 'opencode/minimax-free' }, true],
  [{ model: 'ollama/llama' }, true],
])('OpenCode with %j starts without a credential: %s', (settings, isFree) => {
  expect(harnessKinds.opencode.isFreeToStart({ ...none, ...settings })).toBe(isFree);
});
