import { NodeUnreachable } from '../nodes/errors.js';
import { nodeHealth } from '../nodes/node-status.js';
import type { NodeAddress } from './node-address.js';

const firstPauseMs = 5_000;
const longestPauseMs = 60_000;

/** Calls in a row without any answer, after which a node counts as dead. */
const failureThreshold = 3;

interface Circuit {
  failures: number;
  /** When it was opened last, in epoch milliseconds; null while calls go through. */
  openedAt: number | null;
  pauseMs: number;
  /** One call is on its way to find out whether the node answers again. */
  isProbing: boolean;
}

/**
 * Keeps calls from a node that does not answer, so that whoever needs it learns so at once instead of after a time-out.
 * docs/nodes.md has the table of its states. What it knows is this process's own: to share it would cost a table call on
 * every good call, and a process without that knowledge loses one time-out.
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

  /** The node has begun an answer, whatever it says. */
  answered(address: NodeAddress): void {
    this.circuits.delete(keyOf(address));
  }

  /** No answer came. */
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

  /** A node that has not beaten for long has used up its patience before. */
  private isSilent({ lastHeartbeatAt }: NodeAddress): boolean {
    return (
      lastHeartbeatAt !== undefined && nodeHealth(lastHeartbeatAt, new Date(this.clock())) === 'unhealthy'
    );
  }
}

// An agent that came back at another address is another one to call.
const keyOf = ({ nodeId, url }: NodeAddress): string => `${nodeId} ${url}`;

const hasBeatenSince = ({ lastHeartbeatAt }: NodeAddress, openedAt: number): boolean =>
  typeof lastHeartbeatAt === 'string' && Date.parse(lastHeartbeatAt) > openedAt;
