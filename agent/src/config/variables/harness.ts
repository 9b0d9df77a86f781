import * as z from 'zod/mini';
import { agentTypes } from '../../../../protocol/agent-sessions.js';
import { duration, integer, parsed, type Variable } from '../variable.js';

const CommandOverrides = z.partialRecord(
  z.enum(agentTypes),
  z.array(z.string().check(z.minLength(1))).check(z.minLength(1)),
);
export type CommandOverrides = Readonly<z.infer<typeof CommandOverrides>>;

/** How coding agents are started and spoken with. */
export const harnessVariables = {
  initialize: {
    timeoutMs: milliseconds('ACP_INIT_TIMEOUT_MS', '30000', 'First answers of a coding agent', 1),
    /** 0: as the first answer. */
    initializeMs: milliseconds('ACP_INITIALIZE_TIMEOUT_MS', '0', '`initialize`; 0: as ACP_INIT_TIMEOUT_MS'),
    newSessionMs: milliseconds('ACP_NEW_SESSION_TIMEOUT_MS', '0', '`session/new`; 0: as ACP_INIT_TIMEOUT_MS'),
    loadSessionMs: milliseconds(
      'ACP_LOAD_SESSION_TIMEOUT_MS',
      '0',
      '`session/load`; 0: as ACP_INIT_TIMEOUT_MS',
    ),
  },
  serializeTimeoutMs: duration(
    'ACP_NOTIF_SERIALIZE_TIMEOUT',
    '5s',
    'After which an update that is being handled holds up the next one no longer',
  ),
  credentialSyncTimeoutMs: duration(
    'ACP_CREDENTIAL_SYNC_TIMEOUT',
    '10s',
    'Storing a credential file anew that a coding agent has changed',
  ),
  stopGraceMs: duration('ACP_STOP_GRACE', '5s', 'Between TERM and KILL when a coding agent is stopped'),
  stderrBytes: integer(
    ['ACP_STDERR_BUFFER_BYTES', '4096', 'How much of the end of its standard error is kept'],
    { min: 256, max: 1_048_576 },
  ),
  installTimeoutMs: duration('ACP_INSTALL_TIMEOUT', '10m', 'Installing a coding agent that is missing'),
  usage: {
    timeoutMs: duration('ACP_USAGE_PROBE_TIMEOUT', '10s', 'One usage probe after a turn'),
    address: parsed<string | null>(
      [
        'PROVIDER_GO_USAGE_URL',
        'https://opencode.ai/zen/go/v1/usage',
        "The usage endpoint of OpenCode's `opencode-go`, asked after each turn; none: it is not",
      ],
      'https://…, or http://… on loopback, or none',
      usageAddress,
    ),
  },
  commands: parsed<CommandOverrides>(
    [
      'ACP_COMMAND_OVERRIDES',
      '{}',
      'Commands to start instead of a kind\'s own, which is then not installed: `{"claude-code":["/opt/mine"]}`',
    ],
    'JSON: kinds, each with its command as a list of words',
    commandOverrides,
  ),
};

// biome-ignore lint/complexity/useMaxParams: four plain values that share no name
function milliseconds(name: string, fallback: string, meaning: string, min = 0): Variable<number> {
  return integer([name, fallback, `${meaning}, in milliseconds`], { min, max: 3_600_000 });
}

function commandOverrides(given: string): CommandOverrides | undefined {
  try {
    const read = CommandOverrides.safeParse(JSON.parse(given));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}

/** What carries a key must not be read on its way. */
export function usageAddress(given: string): string | null | undefined {
  if (given === 'none') return null;
  const url = URL.parse(given);
  if (!url || url.username || url.password) return undefined;
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback) ? given : undefined;
}
