import { expect, it } from 'vitest';
import type { AgentKey } from '../../../protocol/agent-callbacks.js';
import type { AgentType } from '../../../protocol/agent-sessions.js';
import { placeCredential } from './credentials.js';
import { harnessKinds } from './harness-kinds.js';

const token = 'callback-token';
const proxy = (provider: string, apiKeySource: string) => ({
  inferenceConfig: { provider, apiKeySource, baseURL: 'https://berth.example/ai/{wstoken}/v1' },
});

it.each<[AgentType, object, object]>([
  ['claude-code', { credentialKind: 'api-key' }, { ANTHROPIC_API_KEY: 'key' }],
  ['claude-code', { credentialKind: 'oauth-token' }, { CLAUDE_CODE_OAUTH_TOKEN: 'key' }],
  ['openai-codex', { credentialKind: 'api-key' }, { OPENAI_API_KEY: 'key' }],
  ['openai-codex', { credentialKind: 'oauth-token' }, {}],
  ['google-gemini', { credentialKind: 'api-key' }, { GEMINI_API_KEY: 'key' }],
  ['mistral-vibe', { credentialKind: 'api-key' }, { MISTRAL_API_KEY: 'key' }],
  ['opencode', { credentialKind: 'api-key' }, { OPENCODE_API_KEY: 'key' }],
  ['amp', { credentialKind: 'api-key' }, { AMP_API_KEY: 'key' }],
  [
    'claude-code',
    { credentialKind: 'api-key', ...proxy('anthropic-passthrough', 'user-credential') },
    { ANTHROPIC_BASE_URL: `https://berth.example/ai/${token}/v1`, ANTHROPIC_API_KEY: 'key' },
  ],
  [
    'claude-code',
    { credentialKind: 'api-key', ...proxy('anthropic-proxy', 'callback-token') },
    { ANTHROPIC_BASE_URL: `https://berth.example/ai/${token}/v1`, ANTHROPIC_AUTH_TOKEN: token },
  ],
  [
    'openai-codex',
    { credentialKind: 'api-key', ...proxy('openai-proxy', 'callback-token') },
    { OPENAI_BASE_URL: `https://berth.example/ai/${token}/v1`, OPENAI_API_KEY: token },
  ],
])('gives %s the credential %j in its environment', (type, key, environment) => {
  const place = placeCredential(harnessKinds[type], { apiKey: 'key', ...key } as AgentKey, token);

  expect(place.environment).toEqual(environment);
});

it('gives Codex its file, and redacts its tokens', () => {
  const apiKey = '{"tokens":{"refresh_token":"rt-0123456789abcdef"}}';
  const place = placeCredential(
    harnessKinds['openai-codex'],
    { apiKey, credentialKind: 'oauth-token' },
    token,
  );

  expect(place.file).toEqual({ path: '.codex/auth.json', content: apiKey });
  expect(place.secrets).toContain('rt-0123456789abcdef');
});

it.each<[AgentType, object]>([
  ['google-gemini', { credentialKind: 'oauth-token' }],
  ['amp', { credentialKind: 'api-key', ...proxy('openai-proxy', 'callback-token') }],
  ['claude-code', { credentialKind: 'api-key', ...proxy('openai-proxy', 'callback-token') }],
])('does not start %s with %j', (type, key) => {
  const place = () => placeCredential(harnessKinds[type], { apiKey: 'key', ...key } as AgentKey, token);

  expect(place).toThrow(expect.objectContaining({ kind: 'not_startable' }));
});
