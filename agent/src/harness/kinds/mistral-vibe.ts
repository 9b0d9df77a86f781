import type { HarnessKind } from './harness-kind.js';

export const mistralVibe: HarnessKind = {
  type: 'mistral-vibe',
  name: 'Mistral Vibe',
  command: ['vibe-acp'],
  installs: [{ by: 'uv', tool: 'mistral-vibe==3.0.3', python: '3.12' }],
  apiKeyVariable: 'MISTRAL_API_KEY',
  oauth: null,
  signInFiles: ['.vibe/.env'],
  proxies: {},
  environment: ({ model }) => ({
    PYTHONUNBUFFERED: '1',
    // Its own default is the right one where no other is wanted.
    ...(model ? { VIBE_ACTIVE_MODEL: model } : {}),
  }),
  modes: {
    acceptEdits: ['accept-edits'],
    plan: ['plan', 'ask'],
    bypassPermissions: ['auto-approve'],
    dontAsk: ['ask'],
  },
  effort: 'none',
  isFreeToStart: () => false,
  lacks: ['mcp_announcement'],
};
