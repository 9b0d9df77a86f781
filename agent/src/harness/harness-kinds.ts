import type { AgentType } from '../../../protocol/agent-sessions.js';
import { type HarnessKind, present } from './harness-kind.js';
import { opencode } from './opencode.js';

/** Every sandbox and approval of Codex. Its mode `agent` lets a model decide, and is not used. */
const codexAccess = {
  'read-only': { sandbox_mode: 'read-only', approval_policy: 'on-request' },
  'workspace-write': { sandbox_mode: 'workspace-write', approval_policy: 'on-request' },
  'agent-full-access': { sandbox_mode: 'danger-full-access', approval_policy: 'never' },
} as const;

/** Full access only where the person chose it. An unknown mode asks. */
function codexModeOf(permissionMode: string | null): keyof typeof codexAccess {
  if (permissionMode === 'bypassPermissions') return 'agent-full-access';
  return permissionMode === 'acceptEdits' ? 'workspace-write' : 'read-only';
}

const openaiCodex: HarnessKind = {
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
    const mode = codexModeOf(permissionMode);
    return {
      ...present({ OPENAI_MODEL: model }),
      // No browser is available for a sign-in.
      NO_BROWSER: '1',
      ...(credential === 'api-key' ? { DEFAULT_AUTH_REQUEST: JSON.stringify({ methodId: 'api-key' }) } : {}),
      INITIAL_AGENT_MODE: mode,
      CODEX_CONFIG: JSON.stringify({
        ...codexAccess[mode],
        ...present({ model, model_reasoning_effort: effort === 'max' ? 'xhigh' : effort }),
      }),
    };
  },
  // Codex reads the address of the provider from its configuration only.
  adaptEnvironment: ({ OPENAI_BASE_URL: address, CODEX_CONFIG: config = '{}', ...others }) => ({
    ...others,
    CODEX_CONFIG: JSON.stringify({ ...JSON.parse(config), ...present({ openai_base_url: address ?? null }) }),
  }),
  // The mode is set at the start.
  modes: { default: [], acceptEdits: [], plan: [], dontAsk: [], bypassPermissions: [] },
  effort: 'environment',
  isFreeToStart: () => false,
  lacks: [],
};

const mistralVibe: HarnessKind = {
  type: 'mistral-vibe',
  name: 'Mistral Vibe',
  command: ['vibe-acp'],
  installs: [{ by: 'uv', tool: 'mistral-vibe==3.0.2', python: '3.12' }],
  apiKeyVariable: 'MISTRAL_API_KEY',
  oauth: null,
  signInFiles: ['.vibe/.env'],
  proxies: {},
  environment: ({ model }) => ({
    PYTHONUNBUFFERED: '1',
    // Without a model, its own default applies.
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

const googleGemini: HarnessKind = {
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
    // Otherwise it starts itself again with more memory, and forwards no signals.
    GEMINI_CLI_NO_RELAUNCH: 'true',
    // In an untrusted folder it drops MCP servers and refuses its modes.
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  }),
  // Without it, `session/load` requires a sign-in.
  apiKeyMethod: 'gemini-api-key',
  modes: { acceptEdits: ['autoEdit'], bypassPermissions: ['yolo'], dontAsk: ['default'] },
  effort: 'none',
  isFreeToStart: () => false,
  lacks: ['load_in_first_minute'],
};

const claudeCode: HarnessKind = {
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
    // Root needs this to bypass permissions; users of containers are often root.
    ...(permissionMode === 'bypassPermissions' ? { IS_SANDBOX: '1' } : {}),
  }),
  modes: {},
  effort: 'environment',
  isFreeToStart: () => false,
  lacks: [],
};

const amp: HarnessKind = {
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

export const harnessKinds: Readonly<Record<AgentType, HarnessKind>> = {
  'claude-code': claudeCode,
  'openai-codex': openaiCodex,
  'google-gemini': googleGemini,
  'mistral-vibe': mistralVibe,
  opencode,
  amp,
};
