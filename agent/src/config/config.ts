import { join } from 'node:path';
import { type Declarations, declarations, isVariable, type ValuesOf } from './declarations.js';
import { ConfigError } from './variable.js';

export type Environment = Readonly<Record<string, string | undefined>>;
export type Config = ReturnType<typeof readConfig>;

/**
 * Reads, checks and freezes the settings.
 * @throws ConfigError with the variable, its value and the valid values
 */
export function readConfig(environment: Environment) {
  const values = valuesOf(declarations, environment);
  checkRollover(values.agentSessions.rollover);
  checkThresholds(values.pressure);
  return freeze({
    ...values,
    issuer: values.issuer ?? values.controlPlaneUrl,
    callbackUrl: values.callbackUrl ?? values.controlPlaneUrl,
    tls: tlsOf(values.tls),
    logs: { ...values.logs, defaultLimit: defaultLimitOf(values.logs, environment) },
  });
}

/** An empty variable counts as absent, as in a unit's EnvironmentFile. */
export function textOf(environment: Environment, name: string): string | null {
  return environment[name]?.trim() || null;
}

function valuesOf<D extends Declarations>(declared: D, environment: Environment): ValuesOf<D> {
  const values = Object.entries(declared).map(([name, item]) => [
    name,
    isVariable(item) ? item.read(textOf(environment, item.name)) : valuesOf(item, environment),
  ]);
  // Values have the shape of their declarations; Object.entries loses that type.
  return Object.fromEntries(values) as ValuesOf<D>;
}

function tlsOf({ certPath, keyPath }: ValuesOf<typeof declarations>['tls']) {
  if (certPath && keyPath) return { certPath, keyPath };
  if (certPath || keyPath)
    throw new ConfigError('TLS_CERT_PATH and TLS_KEY_PATH must be set together, or neither');
  return null;
}

function checkRollover({ graceMs, maxGraceMs }: ValuesOf<typeof declarations>['agentSessions']['rollover']) {
  if (graceMs > maxGraceMs)
    throw new ConfigError(
      `ACP_CHECKPOINT_PREEMPT_GRACE must be at most ACP_CHECKPOINT_PREEMPT_MAX_GRACE (${maxGraceMs}ms), not ${graceMs}ms`,
    );
}

function checkThresholds({ some, full }: ValuesOf<typeof declarations>['pressure']) {
  for (const [name, { warning, critical }] of Object.entries({ SOME: some, FULL: full }))
    if (warning > critical)
      throw new ConfigError(
        `DEFAULT_PSI_MEMORY_${name}_WARNING_THRESHOLD must be at most DEFAULT_PSI_MEMORY_${name}_CRITICAL_THRESHOLD (${critical}), not ${warning}`,
      );
}

/** An unset default is lowered to the limit. */
function defaultLimitOf(
  { defaultLimit, maxLimit }: ValuesOf<typeof declarations>['logs'],
  environment: Environment,
): number {
  const name = 'LOG_RETRIEVAL_DEFAULT_LIMIT';
  if (defaultLimit > maxLimit && textOf(environment, name) !== null)
    throw new ConfigError(
      `${name} must be at most LOG_RETRIEVAL_MAX_LIMIT (${maxLimit}), not "${defaultLimit}"`,
    );
  return Math.min(defaultLimit, maxLimit);
}

function freeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) freeze(inner);
  return Object.freeze(value);
}

/** Files of the agent itself, all under its state directory. */
export function statePaths(stateDir: string) {
  return {
    database: join(stateDir, 'state.db'),
    events: join(stateDir, 'events.db'),
    metrics: join(stateDir, 'metrics.db'),
    /** Created when the control plane first accepts the node; the boot guard checks for it. */
    ready: join(stateDir, 'ready'),
    redemption: join(stateDir, 'redemption.json'),
    certificate: join(stateDir, 'tls', 'node.pem'),
    certificateKey: join(stateDir, 'tls', 'node.key'),
    /** Files of the certificate that an authority issues. */
    issuedCertificate: join(stateDir, 'tls'),
    /** One folder a workspace, with the socket and git settings that the workspace sees. */
    run: join(stateDir, 'run'),
    clones: join(stateDir, 'clones'),
    snapshots: join(stateDir, 'snapshots'),
    /** Files of builds, one folder a workspace. */
    builds: join(stateDir, 'builds'),
    /** Files that every sandbox sees. */
    sandbox: join(stateDir, 'sandbox'),
  };
}
