import * as z from 'zod/mini';
import { agentTypes } from '../../../protocol/agent-sessions.js';
import { duration, integer, parsed, type Variable } from './variable.js';

const CommandOverrides = z.partialRecord(
  z.enum(agentTypes),
  z.array(z.string().check(z.minLength(1))).check(z.minLength(1)),
);
type CommandOverrides = Readonly<z.infer<typeof CommandOverrides>>;

/** Start of coding agents, and the protocol with them. */
export const harnessVariables = {
  initialize: {
    timeoutMs: integer(
      ['ACP_INIT_TIMEOUT_MS', '30000', 'Timeout of the first responses of a coding agent, in milliseconds'],
      { min: 1, max: 3_600_000 },
    ),
    /** 0: `timeoutMs` applies. */
    initializeMs: requestTimeout('ACP_INITIALIZE_TIMEOUT_MS', 'initialize'),
    newSessionMs: requestTimeout('ACP_NEW_SESSION_TIMEOUT_MS', 'session/new'),
    loadSessionMs: requestTimeout('ACP_LOAD_SESSION_TIMEOUT_MS', 'session/load'),
  },
  serializeTimeoutMs: duration(
    'ACP_NOTIF_SERIALIZE_TIMEOUT',
    '5s',
    'Time after which the next update is handled although an earlier one is still being handled',
  ),
  credentialSyncTimeoutMs: duration(
    'ACP_CREDENTIAL_SYNC_TIMEOUT',
    '10s',
    'Timeout of storing a credential file that a coding agent has changed',
  ),
  /** Reports of Claude Code about tasks in the background. */
  backgroundWork: {
    maxBytes: integer(
      [
        'CLAUDE_HARNESS_LIFECYCLE_MAX_BYTES',
        '65536',
        'Bytes of a report of background tasks; longer ones are ignored',
      ],
      { min: 1_024, max: 1_048_576 },
    ),
    maxTasks: integer(['CLAUDE_HARNESS_LIFECYCLE_MAX_TASKS', '256', 'Largest count of background tasks'], {
      min: 1,
      max: 256,
    }),
    maxIdBytes: integer(
      [
        'CLAUDE_HARNESS_LIFECYCLE_MAX_ID_BYTES',
        '256',
        'Bytes of the id of a background task; others are not counted',
      ],
      { min: 1, max: 4_096 },
    ),
  },
  stopGraceMs: duration('ACP_STOP_GRACE', '5s', 'Time between TERM and KILL when a coding agent is stopped'),
  stderrBytes: integer(['ACP_STDERR_BUFFER_BYTES', '4096', 'Bytes kept of the end of its standard error'], {
    min: 256,
    max: 1_048_576,
  }),
  installTimeoutMs: duration('ACP_INSTALL_TIMEOUT', '10m', 'Timeout of installing a missing coding agent'),
  usage: {
    timeoutMs: duration('ACP_USAGE_PROBE_TIMEOUT', '10s', 'Timeout of one usage probe after a turn'),
    address: parsed<string | null>(
      [
        'PROVIDER_GO_USAGE_URL',
        'https://opencode.ai/zen/go/v1/usage',
        "Usage endpoint of OpenCode's `opencode-go`, requested after each turn; none: no request",
      ],
      'https://…, or http://… on loopback, or none',
      usageAddress,
    ),
  },
  commands: parsed<CommandOverrides>(
    [
      'ACP_COMMAND_OVERRIDES',
      '{}',
      'Commands that replace those of coding agents, which are then not installed: `{"claude-code":["/opt/mine"]}`',
    ],
    'JSON: agent types, each with its command as a list of words',
    commandOverrides,
  ),
};

function requestTimeout(name: string, method: string): Variable<number> {
  const meaning = `Timeout of \`${method}\`; 0: ACP_INIT_TIMEOUT_MS, in milliseconds`;
  return integer([name, '0', meaning], { min: 0, max: 3_600_000 });
}

function commandOverrides(given: string): CommandOverrides | undefined {
  try {
    const read = CommandOverrides.safeParse(JSON.parse(given));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}

/** A request that carries a key is sent over TLS or to loopback only. */
function usageAddress(given: string): string | null | undefined {
  if (given === 'none') return null;
  const url = URL.parse(given);
  if (!url || url.username || url.password) return undefined;
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback) ? given : undefined;
}
