import { setTimeout as wait } from 'node:timers/promises';
import type { HarnessRequest } from '../harness.js';
import type { HarnessKind } from '../harness-kind.js';

const minuteMs = 60_000;

/**
 * Some harnesses name the file of a session by the minute, and erase it when they load the session
 * in the minute in which they opened it. Delays such a load to the next minute.
 */
export class SessionOpenings {
  private readonly openedAt = new Map<string, number>();

  constructor(private readonly now: () => number = Date.now) {}

  opened({ lacks }: Pick<HarnessKind, 'lacks'>, acpSessionId: string): void {
    if (!lacks.includes('load_in_first_minute')) return;
    for (const [known, at] of this.openedAt)
      if (minuteOf(at) < minuteOf(this.now())) this.openedAt.delete(known);
    this.openedAt.set(acpSessionId, this.now());
  }

  async untilLoadable(session: HarnessRequest['session'], signal: AbortSignal): Promise<void> {
    const openedAt = session.mode === 'load' ? this.openedAt.get(session.acpSessionId) : undefined;
    if (openedAt === undefined || minuteOf(openedAt) < minuteOf(this.now())) return;
    await wait((minuteOf(openedAt) + 1) * minuteMs - this.now(), undefined, { signal });
  }
}

function minuteOf(at: number): number {
  return Math.floor(at / minuteMs);
}
