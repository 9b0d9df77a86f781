import type { HarnessKind } from './harness-kind.js';

export const mistralVibe: HarnessKind = {
  type: 'mistral-vibe',
  name: 'Mistral Vibe',
  command: ['vibe-acp'],
  install: { by: 'uv', tool: 'mistral-vibe==2.19.1', python: '3.12' },
  apiKeyVariable: 'MISTRAL_API_KEY',
  oauth: null,
  signInFiles: ['.vibe/.env'],
  proxies: {},
  environment: ({ model }) => ({
    VIBE_CLIENT_NAME: 'berth',
    PYTHONUNBUFFERED: '1',
    // Its own default is the right one where no other is wanted.
    ...(model ? { VIBE_ACTIVE_MODEL: model } : {}),
  }),
  modes: { acceptEdits: ['accept-edits'], bypassPermissions: ['auto-approve'], dontAsk: ['default'] },
  effort: 'option',
  isFreeToStart: () => false,
  lacks: [],
};
