import type { HarnessSettings } from './harness.js';
import type { HarnessKind } from './harness-kind.js';

const defaultProvider = 'opencode-zen';
const defaultModels: Readonly<Record<string, string>> = {
  'opencode-zen': 'opencode/claude-sonnet-4-6',
  'opencode-go': 'opencode-go/glm-5.2',
};
/** A custom provider with an OpenAI-compatible API, such as a local model server. */
const defaultCustomAddress = 'http://localhost:11434/v1';

export const opencode: HarnessKind = {
  type: 'opencode',
  name: 'OpenCode',
  command: ['opencode', 'acp'],
  installs: [{ by: 'npm', packages: ['opencode-ai@1.18.33'], node: 20 }],
  apiKeyVariable: 'OPENCODE_API_KEY',
  oauth: null,
  signInFiles: ['.local/share/opencode/auth.json'],
  proxies: {},
  environment: (settings, credential) => ({
    OPENCODE_CONFIG_CONTENT: JSON.stringify(configuration(withoutReferences(settings), credential !== null)),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
  }),
  modes: { default: ['build'], acceptEdits: ['build'], bypassPermissions: ['build'], dontAsk: ['plan'] },
  effort: 'option',
  isFreeToStart: ({ opencodeProvider, model }) => opencodeProvider === 'custom' || needsNoKey(model),
  lacks: ['cancel'],
};

/** A free model of OpenCode, or a model of a provider that the repository configures. */
function needsNoKey(model: string | null): boolean {
  const [provider, name] = model?.split('/', 2) ?? [];
  if (provider === undefined || name === undefined || provider === 'opencode-go') return false;
  return provider !== 'opencode' || name.endsWith('-free');
}

/**
 * OpenCode replaces `{env:...}` and `{file:...}` in its configuration. A project may set the model
 * name, and must not read a key or file of the person with it.
 */
function withoutReferences(settings: HarnessSettings): HarnessSettings {
  const plain = (text: string | null) => (text?.includes('{') ? null : text);
  return {
    ...settings,
    model: plain(settings.model),
    opencodeBaseUrl: plain(settings.opencodeBaseUrl),
  };
}

function configuration(settings: HarnessSettings, hasKey: boolean): object {
  return {
    autoupdate: false,
    share: 'disabled',
    ...permissionOf(settings),
    ...providerConfiguration(settings, hasKey),
  };
}

/** By default OpenCode allows everything, commands also in its mode `plan`. */
function permissionOf({ permissionMode }: HarnessSettings): object {
  if (permissionMode === 'bypassPermissions') return {};
  const edit = permissionMode === 'acceptEdits' ? 'allow' : 'ask';
  return { permission: { edit, bash: 'ask', webfetch: 'ask' } };
}

function providerConfiguration(settings: HarnessSettings, hasKey: boolean): object {
  const provider = settings.opencodeProvider ?? defaultProvider;
  if (provider === 'custom') return customConfiguration(settings, hasKey);
  const model = settings.model ?? defaultModels[provider] ?? null;
  return model === null ? {} : { model };
}

function customConfiguration({ model, opencodeBaseUrl }: HarnessSettings, hasKey: boolean): object {
  const name = model?.replace(/^custom\//, '') ?? null;
  return {
    ...(name === null ? {} : { model: `custom/${name}` }),
    provider: {
      custom: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Custom',
        options: {
          baseURL: opencodeBaseUrl ?? defaultCustomAddress,
          ...(hasKey ? { apiKey: '{env:OPENCODE_API_KEY}' } : {}),
        },
        models: name === null ? {} : { [name]: {} },
      },
    },
  };
}
