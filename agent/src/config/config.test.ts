import { expect, it } from 'vitest';
import { readConfig } from './config.js';

const good = { NODE_ID: '01K0000000000000000000000N', CONTROL_PLANE_URL: 'https://berth.example.com/' };

it('fills in the defaults of the interface', () => {
  const config = readConfig(good);

  expect(config).toMatchObject({
    role: 'workspace',
    controlPlaneUrl: 'https://berth.example.com',
    port: 8443,
    host: '0.0.0.0',
    gracefulShutdownMs: 30_000,
    identity: { heartbeatIntervalMs: 60_000, callbackTokenFile: '/etc/svc/callback-token' },
    workspaces: { cloneFilter: 'blob:none', buildSlots: 1 },
  });
});

it('takes tokens of the control plane, or of the issuer that is given', () => {
  expect(readConfig(good).issuer).toBe('https://berth.example.com');
  expect(readConfig({ ...good, JWT_ISSUER: 'https://d111.cloudfront.net' }).issuer).toBe(
    'https://d111.cloudfront.net',
  );
});

it.each([
  [{ NODE_ID: '' }, 'NODE_ID is not set'],
  [{ NODE_ID: 'node-1' }, 'NODE_ID must be a ULID'],
  [{ CONTROL_PLANE_URL: 'http://berth.example.com' }, 'CONTROL_PLANE_URL must be a plain https:// address'],
  [{ CONTROL_PLANE_URL: 'https://me:pw@berth.example.com' }, 'CONTROL_PLANE_URL must be a plain'],
  [{ CALLBACK_URL: 'http://api.example.com' }, 'CALLBACK_URL must be a plain https:// address'],
  [{ NODE_ROLE: 'deployment' }, 'NODE_ROLE must be one of workspace, standalone'],
  [{ VM_AGENT_PORT: '99999' }, 'VM_AGENT_PORT must be a whole number'],
  [{ HEARTBEAT_INTERVAL: '60' }, 'HEARTBEAT_INTERVAL must be a duration'],
  [{ TLS_CERT_PATH: '/cert.pem' }, 'TLS_CERT_PATH and TLS_KEY_PATH must be set together'],
  [{ LOG_LEVEL: 'verbose' }, 'LOG_LEVEL must be one of'],
  [
    { STANDALONE_CLONE_FILTER: '; rm' },
    'STANDALONE_CLONE_FILTER must be a filter of git, or off, not "; rm"',
  ],
  [{ GRACEFUL_SHUTDOWN_TIMEOUT: '0s' }, 'longer than 0, not "0s"'],
  [{ GRACEFUL_SHUTDOWN_TIMEOUT: '577h' }, 'at most 576h'],
  [{ PTY_ORPHAN_GRACE_PERIOD: '99999999s' }, 'at most 576h, not'],
  [{ LOG_RETRIEVAL_MAX_LIMIT: '5', LOG_RETRIEVAL_DEFAULT_LIMIT: '6' }, 'LOG_RETRIEVAL_DEFAULT_LIMIT'],
  [{ ALLOWED_ORIGINS: 'https://*.*.com' }, 'ALLOWED_ORIGINS must be origins'],
  [{ FILE_RAW_MAX_SIZE: '1e3' }, 'FILE_RAW_MAX_SIZE must be a whole number'],
  [{ DEFAULT_RESOURCE_EVENT_BUFFER_SIZE: '0' }, 'DEFAULT_RESOURCE_EVENT_BUFFER_SIZE must be a whole number'],
  [{ DEFAULT_PSI_POLL_INTERVAL_SECONDS: '-1' }, 'DEFAULT_PSI_POLL_INTERVAL_SECONDS must be a whole number'],
  [{ DEFAULT_EVICTION_DEBOUNCE_SECONDS: '1.5' }, 'DEFAULT_EVICTION_DEBOUNCE_SECONDS must be a whole number'],
  [
    { DEFAULT_PSI_MEMORY_FULL_WARNING_THRESHOLD: '26' },
    'DEFAULT_PSI_MEMORY_FULL_WARNING_THRESHOLD must be at most DEFAULT_PSI_MEMORY_FULL_CRITICAL_THRESHOLD (25), not 26',
  ],
])('refuses %j', (wrong, message) => {
  expect(() => readConfig({ ...good, ...wrong })).toThrow(message);
});

it.each(['0', '100.1', 'Infinity', 'NaN', '1e1', '-5'])('refuses %s as a threshold of pressure', (wrong) => {
  const name = 'DEFAULT_PSI_MEMORY_SOME_WARNING_THRESHOLD';

  expect(() => readConfig({ ...good, [name]: wrong })).toThrow(
    `${name} must be a percentage greater than 0 and at most 100, not "${wrong}"`,
  );
});

it('has the thresholds and times of the interface for pressure', () => {
  const equal = { DEFAULT_PSI_MEMORY_SOME_WARNING_THRESHOLD: '50' };

  const { pressure, eviction } = readConfig({ ...good, ...equal });

  expect(pressure).toEqual({
    eventBufferSize: 64,
    pollIntervalMs: 10_000,
    statsIntervalMs: 30_000,
    some: { warning: 50, critical: 50 },
    full: { warning: 10, critical: 25 },
  });
  expect(eviction).toEqual({
    debounceMs: 30_000,
    snapshotTimeoutMs: 120_000,
    dockerStopTimeoutMs: 10_000,
    callbackRetryMaxMs: 300_000,
    resolveTimeoutMs: 5_000,
  });
});

it('falls back to one build slot and clamps the renewal ratio', () => {
  const config = readConfig({
    ...good,
    WORKSPACE_BUILD_QUEUE_DEPTH: '99',
    WORKSPACE_CALLBACK_TOKEN_REFRESH_RATIO: '2',
    STANDALONE_CLONE_FILTER: 'off',
  });

  expect(config.workspaces.buildSlots).toBe(1);
  expect(config.identity.renewal.ratio).toBe(0.9);
  expect(config.workspaces.cloneFilter).toBeNull();
});

it('sends callbacks to CONTROL_PLANE_URL unless CALLBACK_URL is set', () => {
  const callbackUrl = 'https://api.example.com';

  expect(readConfig(good).callbackUrl).toBe('https://berth.example.com');
  expect(readConfig({ ...good, CALLBACK_URL: callbackUrl })).toMatchObject({
    callbackUrl,
    controlPlaneUrl: 'https://berth.example.com',
  });
});

it('accepts plain HTTP to a control plane on this machine', () => {
  expect(readConfig({ ...good, CONTROL_PLANE_URL: 'http://localhost:8787' }).controlPlaneUrl).toBe(
    'http://localhost:8787',
  );
});
