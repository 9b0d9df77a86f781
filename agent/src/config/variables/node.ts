import { resolve } from 'node:path';
import { Ulid } from '../../../../protocol/ids.js';
import { logLevels } from '../../shared/log.js';
import {
  duration,
  flag,
  integer,
  oneOf,
  optional,
  parsed,
  parsedIfGiven,
  required,
  text,
} from '../variable.js';

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
    { name: 'CONTROL_PLANE_URL', meaning: 'Public address of the control plane, and issuer of tokens' },
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
