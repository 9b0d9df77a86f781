import { join, resolve } from 'node:path';
import { Ulid } from '../../../protocol/ids.js';
import { renewalRatio } from '../../../protocol/tokens.js';
import { logLevels } from '../log/log.js';
import { ConfigError, type Environment, EnvReader } from './env-reader.js';

export type Config = ReturnType<typeof readConfig>;
export type NodeRole = Config['role'];

/**
 * All that the environment says, checked.
 * @throws ConfigError naming the variable and what it must be
 */
export function readConfig(environment: Environment) {
  const env = new EnvReader(environment);
  const stateDir = resolve(env.optional('VM_AGENT_STATE_DIR') ?? '/var/lib/vm-agent');
  return {
    role: env.oneOf('NODE_ROLE', ['workspace', 'standalone'], 'workspace'),
    nodeId: readNodeId(env),
    controlPlaneUrl: readControlPlaneUrl(env),
    host: env.optional('VM_AGENT_HOST') ?? '0.0.0.0',
    port: env.integer('VM_AGENT_PORT', 8443, { min: 0, max: 65_535 }),
    logLevel: env.oneOf('LOG_LEVEL', logLevels, 'info'),
    logFormat: env.oneOf('LOG_FORMAT', ['json', 'text'], 'json'),
    stateDir,
    tls: readTls(env),
    exitWithParent: env.optional('SVC_EXIT_WITH_PARENT') === '1',
    logLimits: readLogLimits(env),
    gracefulShutdownMs: env.durationMs('GRACEFUL_SHUTDOWN_TIMEOUT', '30s'),
    identity: readIdentity(env),
    workspaces: readWorkspaces(env),
    ports: readPorts(env),
    terminals: {
      /** 0: a terminal that nobody watches stays. */
      orphanGraceMs: env.durationMs('PTY_ORPHAN_GRACE_PERIOD', '0s'),
    },
  };
}

function readNodeId(env: EnvReader): string {
  const nodeId = env.required('NODE_ID');
  if (!Ulid.safeParse(nodeId).success) throw new ConfigError(`NODE_ID must be a ULID, not "${nodeId}"`);
  return nodeId;
}

function readControlPlaneUrl(env: EnvReader): string {
  const text = env.required('CONTROL_PLANE_URL');
  const url = URL.parse(text);
  if (!url || url.username || url.password || url.search || url.hash)
    throw new ConfigError(`CONTROL_PLANE_URL must be a plain address, not "${text}"`);
  const isLoopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback))
    throw new ConfigError('CONTROL_PLANE_URL must begin with https:// unless its host is loopback');
  return text.replace(/\/+$/, '');
}

function readTls(env: EnvReader): { readonly certPath: string; readonly keyPath: string } | null {
  const certPath = env.optional('TLS_CERT_PATH');
  const keyPath = env.optional('TLS_KEY_PATH');
  if (certPath && keyPath) return { certPath, keyPath };
  if (certPath || keyPath)
    throw new ConfigError('TLS_CERT_PATH and TLS_KEY_PATH must be set together, or neither');
  return null;
}

function readLogLimits(env: EnvReader) {
  const maxLimit = env.integer('LOG_RETRIEVAL_MAX_LIMIT', 1_000, { min: 1, max: 10_000 });
  const range = { min: 1, max: maxLimit };
  return {
    maxLimit,
    defaultLimit: env.integer('LOG_RETRIEVAL_DEFAULT_LIMIT', Math.min(200, maxLimit), range),
  };
}

/** How this node proves who it is, and how patient it is with the control plane. */
function readIdentity(env: EnvReader) {
  return {
    callbackTokenFile: env.optional('CALLBACK_TOKEN_FILE') ?? '/etc/svc/callback-token',
    callbackToken: env.optional('CALLBACK_TOKEN'),
    bootstrapToken: env.optional('BOOTSTRAP_TOKEN'),
    keySetTimeoutMs: env.durationMs('JWKS_FETCH_TIMEOUT', '10s'),
    callbackTimeoutMs: env.durationMs('HTTP_CALLBACK_TIMEOUT', '30s'),
    bootLogTimeoutMs: env.durationMs('BOOT_LOG_HTTP_TIMEOUT', '10s'),
    heartbeatIntervalMs: Math.max(100, env.durationMs('HEARTBEAT_INTERVAL', '60s')),
    renewal: {
      ratio: env.ratio('WORKSPACE_CALLBACK_TOKEN_REFRESH_RATIO', renewalRatio.default, renewalRatio),
      timeoutMs: env.durationMs('WORKSPACE_CALLBACK_TOKEN_RENEWAL_TIMEOUT', '15s'),
      retryInitialMs: env.durationMs('WORKSPACE_CALLBACK_TOKEN_RENEWAL_RETRY_INITIAL', '1m'),
      retryMaxMs: env.durationMs('WORKSPACE_CALLBACK_TOKEN_RENEWAL_RETRY_MAX', '30m'),
    },
  };
}

function readWorkspaces(env: EnvReader) {
  const filter = env.optional('STANDALONE_CLONE_FILTER') ?? 'blob:none';
  if (!/^[a-z0-9:=,+-]+$/i.test(filter))
    throw new ConfigError(`STANDALONE_CLONE_FILTER is no filter: "${filter}"`);
  return {
    baseDir: resolve(env.optional('WORKSPACE_BASE_DIR') ?? '/workspace'),
    defaultImage:
      env.optional('DEFAULT_DEVCONTAINER_IMAGE') ??
      'mcr.microsoft.com/devcontainers/typescript-node:22-bookworm',
    /** Docker's network of workspace containers. */
    network: env.optional('WORKSPACE_NETWORK') ?? 'bridge',
    cloneFilter: filter === 'off' ? null : filter,
    buildSlots: env.integerOrFallback('WORKSPACE_BUILD_QUEUE_DEPTH', 1, { min: 1, max: 16 }),
    provisioningTimeoutMs: env.durationMs('BOOTSTRAP_TIMEOUT', '30m'),
  };
}

const neverListed = [22, 2_375, 2_376, 8_443];

function readPorts(env: EnvReader) {
  return {
    scan: {
      isEnabled: env.oneOf('PORT_SCAN_ENABLED', ['true', 'false'], 'true') === 'true',
      intervalMs: Math.max(100, env.durationMs('PORT_SCAN_INTERVAL', '5s')),
      excluded: new Set([...neverListed, ...env.portList('PORT_SCAN_EXCLUDE')]),
      ephemeralMin: env.integer('PORT_SCAN_EPHEMERAL_MIN', 32_768, { min: 1, max: 65_536 }),
    },
  };
}

/** Files of the agent itself, all under its state directory. */
export function statePaths(stateDir: string) {
  return {
    database: join(stateDir, 'state.db'),
    events: join(stateDir, 'events.db'),
    redemption: join(stateDir, 'redemption.json'),
    certificate: join(stateDir, 'tls', 'node.pem'),
    certificateKey: join(stateDir, 'tls', 'node.key'),
    /** One folder a workspace, with the socket and git settings that the workspace sees. */
    run: join(stateDir, 'run'),
    clones: join(stateDir, 'clones'),
  };
}
