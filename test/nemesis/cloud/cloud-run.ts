import { setTimeout as wait } from 'node:timers/promises';
import { deliveryOf } from '../agent/history.js';
import { Random } from '../agent/random.js';
import { type CloudVerdict, checkCloud } from './check-cloud.js';
import { CloudDriver } from './cloud-driver.js';
import { rampageInCloud } from './cloud-faults.js';
import { type CloudHistory, emptyCloudHistory } from './cloud-history.js';
import { CloudTarget } from './cloud-target.js';

export interface CloudNemesisOptions {
  readonly prompts: number;
  readonly chats: number;
  readonly seed: number;
  /** Between two faults. */
  readonly pauseMs: readonly [number, number];
  /** How long the faults may go on when all is sent, while something waits. */
  readonly faultsMs: number;
  /** For what waits when the faults have ended. */
  readonly settleMs: number;
  readonly isBuilt: boolean;
  readonly onProgress?: (told: string) => void;
}

export interface CloudNemesisResult extends CloudVerdict {
  readonly history: CloudHistory;
  readonly seconds: number;
}

/**
 * Many prompts through a whole cloud, API, queue, worker, node and coding agent, while all of them are broken; then what
 * people were told, what the API says and what the agents wrote down must fit together.
 */
export async function runCloudNemesis(options: CloudNemesisOptions): Promise<CloudNemesisResult> {
  await using target = await CloudTarget.start(options);
  const startedAt = Date.now();
  const history = emptyCloudHistory();
  const random = (offset: number) => new Random(options.seed + offset);
  const ended = new AbortController();
  const faults = rampageInCloud(target, history, {
    random: random(0),
    pauseMs: options.pauseMs,
    signal: ended.signal,
  });
  const drivers = target.sessionIds.map(
    (sessionId, index) => new CloudDriver(target, history, sessionId, random(index + 1)),
  );
  const share = Math.ceil(options.prompts / drivers.length);
  const timer = setInterval(
    () => options.onProgress?.(`${history.intents.length} sent, ${history.faults.length} faults`),
    10_000,
  );
  try {
    await Promise.all(drivers.map((driver) => driver.send(share)));
    await untilSettled(drivers, options.faultsMs, options.onProgress);
  } finally {
    ended.abort();
    await faults;
  }
  await untilSettled(drivers, options.settleMs, options.onProgress);
  clearInterval(timer);
  await untilConfirmed(target, drivers);
  for (const driver of drivers) await driver.read();
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  return { ...checkCloud(history, target.invocations()), history, seconds };
}

/** What has not settled by then is the checker's to tell. */
async function untilSettled(
  drivers: readonly CloudDriver[],
  withinMs: number,
  onProgress: CloudNemesisOptions['onProgress'],
): Promise<void> {
  const deadline = Date.now() + withinMs;
  let open = [...drivers];
  while (open.length > 0 && Date.now() < deadline) {
    const settled = await Promise.all(open.map((driver) => driver.isSettled()));
    open = open.filter((_, index) => !settled[index]);
    onProgress?.(`${open.length} chats have something that waits`);
    await wait(1_000);
  }
}

/** As long as the sweep would need to ring for what a node took and its agent never had. */
const confirmMs = 60_000;

/** Rings for it at once instead. What is not confirmed by then is the checker's to tell. */
async function untilConfirmed(target: CloudTarget, drivers: readonly CloudDriver[]): Promise<void> {
  const deadline = Date.now() + confirmMs;
  let open = [...drivers];
  while (open.length > 0 && Date.now() < deadline) {
    const invoked = new Set(target.invocations().map(({ text }) => deliveryOf(text)));
    const states = await Promise.all(open.map((driver) => driver.outcomes()));
    open = open.filter((_, index) =>
      states[index]?.some(({ state, messageId }) => state === 'delivered' && !invoked.has(messageId)),
    );
    for (const { sessionId } of open) await target.ring(sessionId);
    if (open.length > 0) await wait(2_000);
  }
}
