import type { HarnessKind } from './harness-kind.js';

export const amp: HarnessKind = {
  type: 'amp',
  name: 'Amp',
  command: ['acp-amp', 'run'],
  installs: [
    { by: 'npm', packages: ['@ampcode/cli@0.0.1790712063-gb89205'], node: 22 },
    { by: 'uv', tool: 'acp-amp==0.1.3', python: '3.12' },
  ],
  apiKeyVariable: 'AMP_API_KEY',
  oauth: null,
  signInFiles: ['.local/share/amp/secrets.json'],
  proxies: {},
  environment: () => ({ PYTHONUNBUFFERED: '1' }),
  modes: { acceptEdits: ['default'], plan: [], bypassPermissions: ['bypass'], dontAsk: ['default'] },
  effort: 'none',
  isFreeToStart: () => false,
  lacks: ['mcp'],
};
