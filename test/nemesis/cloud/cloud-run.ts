import { setTimeout as wait } from 'node:timers/promises';
import { deliveryOf } from '../agent/history.js';
import { Random } from '../agent/random.js';
import { type CloudVerdict, checkCloud } from './check-cloud.js';
import { CloudDriver } from './cloud-driver.js';
import { loseSomePermanently, rampageInCloud } from './cloud-faults.js';
import { answerTo, type CloudHistory, emptyCloudHistory } from './cloud-history.js';
import { CloudTarget } from './cloud-target.js';

interface CloudNemesisOptions {
  readonly prompts: number;
  /** Three at least: one that stays, one whose node is lost, one whose member is removed. */
  readonly chats: number;
  readonly seed: number;
  /** Between two faults. */
  readonly pauseMs: readonly [number, number];
  /** How long the faults may go on when all is sent, while something waits. */
  readonly faultsMs: number;
  /** For what waits when the faults have ended. */
  readonly settleMs: number;
  readonly isBuilt: boolean;
  readonly onProgress?: (reported: string) => void;
}

interface CloudNemesisResult extends CloudVerdict {
  readonly history: CloudHistory;
  readonly seconds: number;
}

/**
 * Many prompts through a whole cloud, API, queue, worker, node and coding agent, while all of them
 * are broken; then the replies to people, what the API says and what the agents wrote down must fit
 * together.
 */
export async function runCloudNemesis(options: CloudNemesisOptions): Promise<CloudNemesisResult> {
  const history = emptyCloudHistory();
  const report = options.onProgress ?? (() => undefined);
  report('A laptop cloud starts, and its chats');
  await using target = await CloudTarget.start({ ...options, history });
  const startedAt = Date.now();
  const drivers = target.sessions.map(
    (session, index) =>
      new CloudDriver(target.company, session, history, new Random(options.seed + index + 1)),
  );
  await sendWhileAllBreaks(target, drivers, { ...options, history, report });
  report('Faults have ended; waiting for pending prompts');
  await untilAll(drivers, options.settleMs, (driver) => driver.isSettled());
  report('Checking that accepted prompts reached their agents and that all replies arrived');
  const staying = drivers.filter((driver) => driver.stays);
  await untilAll(staying, confirmMs, (driver) => isConfirmed(target, driver));
  for (const driver of drivers) await driver.read();
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  return { ...checkCloud(history, target.invocations()), history, seconds };
}

interface Sending extends CloudNemesisOptions {
  readonly history: CloudHistory;
  readonly report: (reported: string) => void;
}

async function sendWhileAllBreaks(
  target: CloudTarget,
  drivers: readonly CloudDriver[],
  { prompts, seed, pauseMs, faultsMs, history, report }: Sending,
): Promise<void> {
  const ended = new AbortController();
  const rampage = { random: new Random(seed), pauseMs, signal: ended.signal };
  const faults = rampageInCloud(target, history, rampage);
  const timer = setInterval(() => report(progressOf(history)), 10_000);
  const share = Math.ceil(prompts / drivers.length);
  try {
    await Promise.all([
      ...drivers.map((driver) => driver.send(share)),
      untilSent(history, prompts / 2, () => loseSomePermanently(target, history)),
    ]);
    await untilAll(drivers, faultsMs, (driver) => driver.isSettled());
  } finally {
    ended.abort();
    clearInterval(timer);
    await faults;
  }
}

/** As soon as so many messages were sent. */
async function untilSent(history: CloudHistory, many: number, happens: () => Promise<void>): Promise<void> {
  while (history.intents.length < many) await wait(200);
  await happens();
}

function progressOf({ intents, accepted, faults }: CloudHistory): string {
  const kinds = Map.groupBy(faults, ({ kind }) => kind);
  const reported = [...kinds].map(([kind, ofKind]) => `${kind} ${ofKind.length}`).join(', ');
  return `${intents.length} sent, ${accepted.length} requests answered 202; ${reported || 'no faults yet'}`;
}

/** The checker reports whatever is still missing after this time. */
async function untilAll(
  drivers: readonly CloudDriver[],
  withinMs: number,
  isSo: (driver: CloudDriver) => Promise<boolean>,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  let open = [...drivers];
  while (open.length > 0 && Date.now() < deadline) {
    const are = await Promise.all(open.map(isSo));
    open = open.filter((_, index) => !are[index]);
    if (open.length > 0) await wait(1_000);
  }
}

/** Longer than the sweep takes to ask for a prompt that its agent never received. */
const confirmMs = 60_000;

/** Sends at once the wake-ups that the sweep would send. */
async function isConfirmed(target: CloudTarget, driver: CloudDriver): Promise<boolean> {
  const invocations = target.invocations();
  const invoked = new Set(invocations.map(({ text }) => deliveryOf(text)));
  const outcomes = await driver.outcomes();
  if (outcomes.some(({ state, messageId }) => state === 'delivered' && !invoked.has(messageId))) {
    await target.wakeUps.send(driver.sessionId);
    return false;
  }
  const said = await driver.said();
  const ended = invocations.filter(({ endedAt }) => endedAt !== null).map(({ text }) => deliveryOf(text));
  return outcomes.every(({ messageId }) => !ended.includes(messageId) || said.includes(answerTo(messageId)));
}
