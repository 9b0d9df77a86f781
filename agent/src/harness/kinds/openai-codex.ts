import { type HarnessKind, present } from './harness-kind.js';

export const openaiCodex: HarnessKind = {
  type: 'openai-codex',
  name: 'Codex',
  command: ['codex-acp'],
  installs: [{ by: 'npm', packages: ['@agentclientprotocol/codex-acp@2.6.0'], node: 20 }],
  apiKeyVariable: 'OPENAI_API_KEY',
  oauth: { file: '.codex/auth.json' },
  signInFiles: ['.codex/auth.json'],
  proxies: {
    'openai-passthrough': { address: 'OPENAI_BASE_URL', key: 'OPENAI_API_KEY' },
    'openai-proxy': { address: 'OPENAI_BASE_URL', key: 'OPENAI_API_KEY' },
  },
  environment: ({ model, effort, permissionMode }, credential) => {
    const isReadOnly = permissionMode === 'plan';
    return {
      ...present({ OPENAI_MODEL: model }),
      // Nobody is there for a browser.
      NO_BROWSER: '1',
      ...(credential === 'api-key' ? { DEFAULT_AUTH_REQUEST: JSON.stringify({ methodId: 'api-key' }) } : {}),
      INITIAL_AGENT_MODE: isReadOnly ? 'read-only' : 'agent-full-access',
      CODEX_CONFIG: JSON.stringify({
        sandbox_mode: isReadOnly ? 'read-only' : 'danger-full-access',
        approval_policy: 'never',
        ...present({ model, model_reasoning_effort: effort === 'max' ? 'xhigh' : effort }),
      }),
    };
  },
  // Its mode is what it starts with.
  modes: { acceptEdits: [], plan: [], dontAsk: [], bypassPermissions: [] },
  effort: 'environment',
  isFreeToStart: () => false,
  lacks: [],
};
