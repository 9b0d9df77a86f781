import { Random } from '../agent/random.js';
import { EvictionDriver } from './eviction-driver.js';
import {
  checkEvictions,
  countEvictions,
  type EvictionHistory,
  type EvictionViolation,
  emptyEvictionHistory,
} from './eviction-history.js';
import { EvictionTarget } from './eviction-target.js';

interface EvictionNemesisOptions {
  readonly evictions: number;
  readonly workspaces: number;
  readonly seed: number;
  /** Of the agent. */
  readonly bundle: string;
  /** The run ends after this, also with fewer evictions. */
  readonly withinMs?: number;
  readonly onProgress?: (reported: string) => void;
}

interface EvictionNemesisResult {
  readonly violations: readonly EvictionViolation[];
  readonly counts: Readonly<Record<string, number>>;
  readonly history: EvictionHistory;
  readonly seconds: number;
}

/** Evicts real workspaces of real agents, one after the other, while parts of it are broken. */
export async function runEvictionNemesis(options: EvictionNemesisOptions): Promise<EvictionNemesisResult> {
  const { evictions, workspaces, seed, onProgress = () => undefined } = options;
  const { withinMs = Number.POSITIVE_INFINITY } = options;
  const startedAt = Date.now();
  const history = emptyEvictionHistory();
  await using target = await EvictionTarget.start(workspaces, options.bundle);
  const driver = new EvictionDriver(target, history, new Random(seed));
  const isDone = () =>
    history.rounds.filter(({ outcome }) => outcome === 'evicted').length >= evictions ||
    Date.now() - startedAt > withinMs;
  for (let number = 1; !isDone(); number += 1) {
    try {
      await driver.round(number);
    } catch (error) {
      history.broken.push({ rule: 'stuck', detail: `round ${number}: ${describe(error)}` });
      onProgress(target.nodes.map(({ agent }) => agent.output.slice(-6_000)).join('\n\n'));
    }
    onProgress(JSON.stringify(history.rounds.at(-1)));
    if (checkEvictions(history).length > 0) {
      onProgress(target.nodes.map(({ agent }) => agent.output.slice(-6_000)).join('\n\n'));
      break;
    }
  }
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  return { violations: checkEvictions(history), counts: countEvictions(history), history, seconds };
}

const describe = (error: unknown): string =>
  error instanceof Error ? `${error.stack}; ${String(error.cause ?? '')}` : String(error);
