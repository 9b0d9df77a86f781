import { NodeUnreachable } from '../nodes/errors.js';
import { nodeHealth } from '../nodes/node-status.js';
import type { NodeAddress } from './node-address.js';

const firstPauseMs = 5_000;
const longestPauseMs = 60_000;

/** Calls in a row without any answer, after which a node counts as dead. */
const failureThreshold = 3;

interface Circuit {
  failures: number;
  /** Start of the pause, in epoch milliseconds; null while calls are sent. */
  openedAt: number | null;
  pauseMs: number;
  /** A probe is in flight. */
  isProbing: boolean;
}

/**
 * Refuses calls to a node that does not answer, so that callers do not wait for a time-out.
 * docs/nodes.md has its state table. Each process has its own circuits: sharing them would cost a
 * table call for each call.
 */
export class CircuitBreaker {
  private readonly circuits = new Map<string, Circuit>();

  constructor(private readonly clock: () => number = Date.now) {}

  /** @throws {NodeUnreachable} it has not answered lately; nothing is sent */
  admit(address: NodeAddress): void {
    const circuit = this.circuits.get(keyOf(address));
    if (!circuit || circuit.openedAt === null) return;
    const waitMs = circuit.openedAt + circuit.pauseMs - this.clock();
    const isDue = waitMs <= 0 || hasBeatenSince(address, circuit.openedAt);
    if (!isDue || circuit.isProbing)
      throw new NodeUnreachable('The node did not answer recent calls', {
        mayHaveActed: false,
        retryAfter: Math.max(1, Math.ceil(waitMs / 1_000)),
      });
    circuit.isProbing = true;
  }

  /** The node answered, with any status. */
  answered(address: NodeAddress): void {
    this.circuits.delete(keyOf(address));
  }

  /** The node did not answer. */
  failed(address: NodeAddress): void {
    const before = this.circuits.get(keyOf(address));
    const failures = (before?.failures ?? 0) + 1;
    const wasOpen = before !== undefined && before.openedAt !== null;
    const opens = wasOpen || failures >= (this.isSilent(address) ? 1 : failureThreshold);
    this.circuits.set(keyOf(address), {
      failures,
      openedAt: opens ? this.clock() : null,
      pauseMs: wasOpen ? Math.min(2 * before.pauseMs, longestPauseMs) : firstPauseMs,
      isProbing: false,
    });
  }

  /** A node without recent heartbeats reaches the threshold with its first failure. */
  private isSilent({ lastHeartbeatAt }: NodeAddress): boolean {
    return (
      lastHeartbeatAt !== undefined && nodeHealth(lastHeartbeatAt, new Date(this.clock())) === 'unhealthy'
    );
  }
}

// An agent that restarted at another address has its own circuit.
const keyOf = ({ nodeId, url }: NodeAddress): string => `${nodeId} ${url}`;

const hasBeatenSince = ({ lastHeartbeatAt }: NodeAddress, openedAt: number): boolean =>
  typeof lastHeartbeatAt === 'string' && Date.parse(lastHeartbeatAt) > openedAt;
