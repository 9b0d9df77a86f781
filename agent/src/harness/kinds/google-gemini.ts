import { type HarnessKind, present } from './harness-kind.js';

export const googleGemini: HarnessKind = {
  type: 'google-gemini',
  name: 'Gemini',
  command: ['gemini', '--acp'],
  installs: [{ by: 'npm', packages: ['@google/gemini-cli@0.61.0'], node: 20 }],
  apiKeyVariable: 'GEMINI_API_KEY',
  oauth: null,
  signInFiles: ['.gemini/oauth_creds.json'],
  proxies: {},
  environment: ({ model }) => ({
    ...present({ GEMINI_MODEL: model }),
    // It would start itself a second time for more memory, and pass no signal on.
    GEMINI_CLI_NO_RELAUNCH: 'true',
  }),
  modes: { acceptEdits: ['autoEdit'], bypassPermissions: ['yolo'], dontAsk: ['default'] },
  effort: 'none',
  isFreeToStart: () => false,
  lacks: [],
};
