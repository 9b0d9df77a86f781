import { resolve } from 'node:path';
import { Ulid } from '../../../protocol/ids.js';
import { renewalRatio } from '../../../protocol/tokens.js';
import { logLevels } from '../shared/log.js';
import {
  duration,
  flag,
  integer,
  oneOf,
  optional,
  parsed,
  parsedIfGiven,
  ratio,
  required,
  secret,
  text,
} from './variable.js';

const path = (given: string) => resolve(given);
const plainAddressMeans = 'a plain https:// address, or http:// to a loopback host';

/** Identity, role and addresses of this node. */
export const nodeVariables = {
  role: oneOf(
    [
      'NODE_ROLE',
      'workspace',
      'workspace: workspaces are containers; standalone: they are processes of this machine',
    ],
    ['workspace', 'standalone'],
  ),
  nodeId: required({ name: 'NODE_ID', meaning: 'Node identifier' }, 'a ULID', (given) =>
    Ulid.safeParse(given).success ? given : undefined,
  ),
  controlPlaneUrl: required(
    { name: 'CONTROL_PLANE_URL', meaning: 'Public address of the control plane' },
    plainAddressMeans,
    plainAddress,
  ),
  issuer: parsedIfGiven(
    {
      name: 'JWT_ISSUER',
      meaning: 'Issuer of tokens, whose keys are at `/.well-known/jwks.json`; default: CONTROL_PLANE_URL',
    },
    plainAddressMeans,
    plainAddress,
  ),
  callbackUrl: parsedIfGiven(
    { name: 'CALLBACK_URL', meaning: 'Base address of callbacks; default: CONTROL_PLANE_URL' },
    plainAddressMeans,
    plainAddress,
  ),
  host: text('VM_AGENT_HOST', '0.0.0.0', 'Address to listen on'),
  port: integer(['VM_AGENT_PORT', '8443', 'Port to listen on; 0: any free port'], { min: 0, max: 65_535 }),
  logLevel: oneOf(['LOG_LEVEL', 'info', 'Lowest level that is logged'], logLevels),
  logFormat: oneOf(['LOG_FORMAT', 'json', 'Format of log lines'], ['json', 'text']),
  stateDir: parsed(
    [
      'VM_AGENT_STATE_DIR',
      '/var/lib/vm-agent',
      'Folder of databases, certificate, sockets and unfinished clones',
    ],
    'a path',
    path,
  ),
  tls: {
    certPath: optional('TLS_CERT_PATH', 'File of the TLS certificate; without it the agent makes its own'),
    keyPath: optional('TLS_KEY_PATH', 'File of the key of that certificate'),
  },
  exitWithParent: flag('SVC_EXIT_WITH_PARENT', 'false', 'End when the parent process ends (laptop nodes)'),
  gracefulShutdownMs: duration(
    'GRACEFUL_SHUTDOWN_TIMEOUT',
    '30s',
    'Timeout from SIGTERM to the end of the process',
  ),
};

function plainAddress(given: string): string | undefined {
  const url = URL.parse(given);
  if (!url || url.username || url.password || url.search || url.hash) return undefined;
  const isLoopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback)) return undefined;
  return given.replace(/\/+$/, '');
}

/** Credentials of this node, and time limits of its callbacks. */
export const identityVariables = {
  callbackTokenFile: text(
    'CALLBACK_TOKEN_FILE',
    '/etc/svc/callback-token',
    "Root-only file with the node's callback token",
  ),
  callbackToken: secret('CALLBACK_TOKEN', 'Callback token when the file does not exist (legacy)'),
  bootstrapToken: secret(
    'BOOTSTRAP_TOKEN',
    'Single-use token that a node without a callback token redeems for one',
  ),
  keySetTimeoutMs: duration('JWKS_FETCH_TIMEOUT', '10s', 'Timeout of fetching the key set'),
  callbackTimeoutMs: duration('HTTP_CALLBACK_TIMEOUT', '30s', 'Timeout of one callback'),
  bootLogTimeoutMs: duration('BOOT_LOG_HTTP_TIMEOUT', '10s', 'Timeout of one boot-log callback'),
  heartbeatIntervalMs: duration('HEARTBEAT_INTERVAL', '60s', 'Interval of heartbeats', 100),
  renewal: {
    ratio: ratio(
      [
        'WORKSPACE_CALLBACK_TOKEN_REFRESH_RATIO',
        String(renewalRatio.default),
        "Fraction of the lifetime of a workspace's callback token after which it is renewed; clamped to 0.1 to 0.9",
      ],
      renewalRatio,
    ),
    timeoutMs: duration('WORKSPACE_CALLBACK_TOKEN_RENEWAL_TIMEOUT', '15s', 'Timeout of one renewal request'),
    retryInitialMs: duration(
      'WORKSPACE_CALLBACK_TOKEN_RENEWAL_RETRY_INITIAL',
      '1m',
      'First delay after a failed renewal',
    ),
    retryMaxMs: duration(
      'WORKSPACE_CALLBACK_TOKEN_RENEWAL_RETRY_MAX',
      '30m',
      'Longest delay after a failed renewal; also the delay when renewal is not due yet',
    ),
  },
};

/** Limits of the server's clients. */
export const httpVariables = {
  readTimeoutMs: duration(
    'HTTP_READ_TIMEOUT',
    '15s',
    'Timeout of reading headers, and bodies that are not streamed',
  ),
  idleTimeoutMs: duration('HTTP_IDLE_TIMEOUT', '60s', 'Timeout of an idle connection'),
  /** Null: the control plane's origin. */
  allowedOrigins: parsed<readonly string[] | null>(
    [
      'ALLOWED_ORIGINS',
      'derived',
      'Origins whose pages may read responses, separated by commas; each may contain one `*`. derived: the control plane',
    ],
    'origins such as https://berth.example.com,https://*.berth.example.com',
    originsOf,
  ),
};

function originsOf(given: string): readonly string[] | null | undefined {
  if (given === 'derived') return null;
  const origins = given.split(',').map((part) => part.trim().replace(/\/$/, ''));
  return origins.every((origin) => /^https?:\/\/[\w.*:[\]-]+$/.test(origin) && origin.split('*').length <= 2)
    ? origins
    : undefined;
}
