import { AgentError } from '../errors.js';

export interface CommandLimits {
  readonly perWorkspace: number;
  readonly perNode: number;
  /** Longest time in the queue. */
  readonly waitMs: number;
  /** Longest queue of one workspace. */
  readonly waitingPerWorkspace: number;
}

export const commandLimits: CommandLimits = {
  perWorkspace: 4,
  perNode: 24,
  waitMs: 2_000,
  waitingPerWorkspace: 16,
};

interface Waiter {
  readonly workspaceId: string;
  readonly start: () => void;
}

/**
 * Limits concurrent commands that HTTP requests start in workspaces. A repository can make each of
 * them slow, and the caller, a Lambda function, waits for it.
 */
export class CommandSlots {
  private readonly running = new Map<string, number>();
  private total = 0;
  private waiters: readonly Waiter[] = [];

  constructor(private readonly limits: CommandLimits = commandLimits) {}

  /** @throws AgentError unavailable when no slot is free in time */
  async run<T>(workspaceId: string, work: () => Promise<T>): Promise<T> {
    if (this.hasRoom(workspaceId)) this.take(workspaceId);
    else await this.wait(workspaceId);
    try {
      return await work();
    } finally {
      this.release(workspaceId);
    }
  }

  private hasRoom(workspaceId: string): boolean {
    const { perWorkspace, perNode } = this.limits;
    return this.total < perNode && (this.running.get(workspaceId) ?? 0) < perWorkspace;
  }

  private take(workspaceId: string): void {
    this.total += 1;
    this.running.set(workspaceId, (this.running.get(workspaceId) ?? 0) + 1);
  }

  private release(workspaceId: string): void {
    this.total -= 1;
    const left = (this.running.get(workspaceId) ?? 1) - 1;
    if (left === 0) this.running.delete(workspaceId);
    else this.running.set(workspaceId, left);
    const next = this.waiters.find((waiter) => this.hasRoom(waiter.workspaceId));
    if (!next) return;
    this.take(next.workspaceId);
    next.start();
  }

  private wait(workspaceId: string): Promise<void> {
    const { perWorkspace, perNode, waitMs, waitingPerWorkspace } = this.limits;
    const refusal = () =>
      new AgentError(
        'unavailable',
        `Too many commands run in the workspace (limit ${perWorkspace}) or on its node (limit ${perNode}). Try again later`,
      );
    const waiting = this.waiters.filter((waiter) => waiter.workspaceId === workspaceId);
    if (waiting.length >= waitingPerWorkspace) return Promise.reject(refusal());
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        this.waiters = this.waiters.filter((other) => other !== waiter);
      };
      const waiter: Waiter = {
        workspaceId,
        start: () => {
          leave();
          resolve();
        },
      };
      const timer = setTimeout(() => {
        leave();
        reject(refusal());
      }, waitMs);
      this.waiters = [...this.waiters, waiter];
    });
  }
}
