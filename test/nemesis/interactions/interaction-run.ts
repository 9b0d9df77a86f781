import { Random } from '../agent/random.js';
import { checkInteractions, countInteractions, type InteractionViolation } from './check-interactions.js';
import { comes } from './comes.js';
import { InteractionDriver } from './interaction-driver.js';
import { emptyInteractionHistory, type InteractionHistory } from './interaction-history.js';
import { collect, search } from './interaction-outcome.js';
import { InteractionPlane } from './interaction-plane.js';
import { InteractionPump } from './interaction-pump.js';
import { InteractionTarget } from './interaction-target.js';

interface InteractionNemesisOptions {
  readonly requests: number;
  readonly chats: number;
  readonly seed: number;
  readonly onProgress?: (reported: string) => void;
}

interface InteractionNemesisResult {
  readonly violations: readonly InteractionViolation[];
  readonly counts: Readonly<Record<string, number>>;
  readonly history: InteractionHistory;
  readonly seconds: number;
}

/** Longer than any deadline and delivery of a request. */
const settleMs = 45_000;

/** Agents ask, several people answer at once, and all between them is broken. */
export async function runInteractionNemesis(
  options: InteractionNemesisOptions,
): Promise<InteractionNemesisResult> {
  const { requests, chats, seed, onProgress = () => undefined } = options;
  const history = emptyInteractionHistory();
  await using plane = await InteractionPlane.start();
  await using target = await InteractionTarget.start(plane, chats);
  await using pump = await InteractionPump.start(plane, history, new Random(seed));
  const startedAt = Date.now();
  const timer = setInterval(
    () => onProgress(`${history.requests.length} of ${requests}, ${history.answers.length} answers`),
    10_000,
  );
  try {
    let left = requests;
    const take = (most: number) => {
      const taken = Math.min(most, left);
      left -= taken;
      return taken;
    };
    const drivers = target.chats.map((chat, index) => {
      const random = new Random(seed + index + 1);
      return new InteractionDriver(target, chat, { history, random });
    });
    await Promise.all(drivers.map((driver) => driver.run(take)));
    pump.losesWakeUps = false;
    await comes(() => isSettled(pump), settleMs);
  } finally {
    clearInterval(timer);
  }
  await collect(target, pump, history);
  await pump.passAnHour();
  await search(plane, history);
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  return { violations: checkInteractions(history), counts: countInteractions(history), history, seconds };
}

async function isSettled(pump: InteractionPump): Promise<boolean> {
  await pump.hurryDeliveries();
  const waits = (await pump.interactions()).some(({ state }) => state === 'pending' || state === 'answered');
  return !waits;
}
