import { type HarnessKind, present } from './harness-kind.js';

export const claudeCode: HarnessKind = {
  type: 'claude-code',
  name: 'Claude Code',
  command: ['claude-agent-acp'],
  installs: [{ by: 'npm', packages: ['@agentclientprotocol/claude-agent-acp@0.100.0'], node: 22 }],
  apiKeyVariable: 'ANTHROPIC_API_KEY',
  oauth: { variable: 'CLAUDE_CODE_OAUTH_TOKEN' },
  signInFiles: ['.claude/.credentials.json'],
  proxies: {
    'anthropic-passthrough': { address: 'ANTHROPIC_BASE_URL', key: 'ANTHROPIC_API_KEY' },
    'anthropic-proxy': { address: 'ANTHROPIC_BASE_URL', key: 'ANTHROPIC_AUTH_TOKEN' },
  },
  environment: ({ model, effort, permissionMode }) => ({
    ...present({ ANTHROPIC_MODEL: model, CLAUDE_CODE_EFFORT_LEVEL: effort }),
    // Without it, root is not allowed to pass over permissions; workspaces of containers are often root's.
    ...(permissionMode === 'bypassPermissions' ? { IS_SANDBOX: '1' } : {}),
  }),
  modes: {},
  effort: 'environment',
  isFreeToStart: () => false,
  lacks: [],
};
