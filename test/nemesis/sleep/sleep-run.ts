import { Random } from '../agent/random.js';
import { sweep } from '../cloud/give-up-node.js';
import { SleepDriver } from './sleep-driver.js';
import { checkSleep, emptySleepHistory, type SleepHistory, type SleepViolation } from './sleep-history.js';
import { SleepTarget } from './sleep-target.js';

interface SleepNemesisOptions {
  readonly cycles: number;
  readonly chats: number;
  readonly seed: number;
  readonly isBuilt: boolean;
  /** Keeps logs and rows of the first cycle that does not end. */
  readonly evidence?: string;
  readonly onProgress?: (reported: string) => void;
}

interface SleepNemesisResult {
  readonly violations: readonly SleepViolation[];
  readonly counts: Readonly<Record<string, number>>;
  readonly history: SleepHistory;
}

/** Many sleeps and wakes of a whole cloud, each with random work, while parts of it are broken. */
export async function runSleepNemesis(options: SleepNemesisOptions): Promise<SleepNemesisResult> {
  const { cycles, chats, seed, isBuilt, onProgress = () => undefined } = options;
  const history = emptySleepHistory();
  await using target = await SleepTarget.start({ isBuilt });
  const share = Math.ceil(cycles / chats);
  await Promise.all(
    Array.from({ length: chats }, async (_, index) => {
      const driver = new SleepDriver(
        target,
        await target.openChat(index + 1),
        history,
        new Random(seed + index),
      );
      for (let number = 1; number <= share; number += 1) {
        await driver.cycle(number).catch(async (error: unknown) => {
          const situation = JSON.stringify(await target.situation());
          const detail = `chat ${index + 1}, cycle ${number}: ${error}; ${situation}`;
          if (options.evidence && history.broken.length === 0) await target.keepEvidence(options.evidence);
          history.broken.push({ rule: 'stuck', detail });
          throw error;
        });
        onProgress(JSON.stringify(history.cycles.at(-1)));
        // Its schedule does not run here: retired nodes would stay, up to the limit of the person.
        if (number % 5 === 0) await sweep(target.cloud);
      }
    }),
  ).catch((error: unknown) => onProgress(String(error)));
  return {
    violations: checkSleep(history, target.invocations()),
    counts: countsOf(history),
    history,
  };
}

function countsOf({ cycles, accepted }: SleepHistory): Record<string, number> {
  const kinds = Map.groupBy(
    cycles.flatMap(({ faults }) => faults),
    (kind) => kind,
  );
  return {
    cycles: cycles.length,
    slept: cycles.filter(({ outcome }) => outcome === 'slept').length,
    onAnotherNode: cycles.filter(({ wasOnAnotherNode }) => wasOnAnotherNode).length,
    degraded: cycles.filter(({ restore }) => restore?.status === 'degraded').length,
    prompts: accepted.length,
    ...Object.fromEntries([...kinds].map(([kind, all]) => [kind, all.length])),
  };
}
