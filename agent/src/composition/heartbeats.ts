import type { AddressCertificate } from '../acme/address-certificate.js';
import { statePaths } from '../config/config.js';
import { redeemBootstrapToken } from '../control-plane/bootstrap.js';
import { Heartbeats } from '../control-plane/heartbeats.js';
import { TokenRenewal } from '../control-plane/token-renewal.js';
import { writeFileAtomic } from '../files/local-disk.js';
import { agentVersion } from '../node/agent-version.js';
import { readNodeMetrics } from '../node/node-metrics.js';
import type { AgentServices } from './agents.js';
import type { EvictionServices } from './evictions.js';
import type { Foundation } from './foundation.js';
import type { WorkspaceServices } from './workspaces.js';

/** Heartbeats report these besides workspaces. */
interface HeartbeatSources {
  readonly sessions: AgentServices['sessions'];
  readonly evictions: EvictionServices | null;
  /** Null where the node orders none. */
  readonly certificate: AddressCertificate | null;
}

/** The limit of a heartbeat. */
const maxUsed = 64;

/** Reports the node ready, and then its load at an interval. */
export function composeHeartbeats(
  foundation: Foundation,
  workspaces: WorkspaceServices,
  sources: HeartbeatSources,
): Heartbeats {
  const { config, controlPlane, origins, log } = foundation;
  const { nodeId, identity, stateDir } = config;
  const renewal = composeRenewal(foundation);
  return new Heartbeats(
    { nodeId, intervalMs: identity.heartbeatIntervalMs, timeoutMs: identity.callbackTimeoutMs },
    {
      controlPlane: controlPlane.client,
      token: controlPlane.nodeToken,
      bootDiagnostics: controlPlane.bootDiagnostics,
      log,
      compose: () => heartbeat(stateDir, workspaces, sources),
      onAccepted: ({ consoleUrl }) => {
        workspaces.use.accepted();
        if (consoleUrl !== undefined) origins.add(consoleUrl);
      },
      onReady: () => writeFileAtomic(statePaths(stateDir).ready, `${new Date().toISOString()}\n`),
      afterwards: async () => {
        const eviction = sources.evictions?.deliveries.deliver();
        await Promise.all([workspaces.provisioner.deliverPending(), eviction, renewal.run()]);
      },
    },
  );
}

function composeRenewal({ config, storage, controlPlane, log }: Foundation): TokenRenewal {
  const { client, callbacks, nodeToken } = controlPlane;
  return new TokenRenewal(
    { nodeId: config.nodeId, ...config.identity.renewal },
    { store: storage.workspaces, callbacks, nodeToken, log, now: () => client.clock.now().getTime() },
  );
}

async function heartbeat(
  stateDir: string,
  { workspaces, provisioner, runtime, use }: WorkspaceServices,
  { sessions, certificate }: HeartbeatSources,
) {
  const used = new Set([...use.report(), ...sessions.hosts.workingOutsideProjects()]);
  return {
    agentVersion,
    activeWorkspaces: workspaces.runningIds().length,
    ...(certificate ? { certificate: certificate.report() } : {}),
    ...(used.size > 0 ? { usedWorkspaces: [...used].slice(0, maxUsed) } : {}),
    metrics: {
      version: 1 as const,
      ...(await readNodeMetrics(stateDir)),
      creatingWorkspaces: provisioner.count,
      containers: [...(await runtime.measure().catch(() => []))],
    },
  };
}

/** Loads the node's callback token, or redeems the bootstrap token for one. */
export async function obtainNodeToken(foundation: Foundation, signal: AbortSignal): Promise<void> {
  const { config, controlPlane, log } = foundation;
  const { client, nodeToken, bootDiagnostics } = controlPlane;
  const { bootstrapToken, callbackTimeoutMs } = config.identity;
  if (await nodeToken.load(new Date())) return;
  if (bootstrapToken === null)
    throw new Error('The node has no valid callback token and no BOOTSTRAP_TOKEN. Set BOOTSTRAP_TOKEN.');
  const callbackToken = await redeemBootstrapToken(client, {
    nodeId: config.nodeId,
    token: bootstrapToken,
    redemptionFile: statePaths(config.stateDir).redemption,
    timeoutMs: callbackTimeoutMs,
    signal,
    bootDiagnostics,
    log,
  });
  await nodeToken.replace(callbackToken);
  log.info('Bootstrap token redeemed');
}
