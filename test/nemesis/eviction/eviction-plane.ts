import { setTimeout as wait } from 'node:timers/promises';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import {
  type Answer,
  FakeControlPlane,
  type RecordedCall,
} from '../../integration/agent/fake-control-plane.js';
import { EvictionStage } from '../../integration/evictions/eviction-stage.js';
import { loadStep, type RunStep } from '../../integration/workspaces/load-step.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { ServedRoutes } from '../served-routes.js';
import { ObjectDoor } from './object-door.js';

/** What the agent gets instead of the answer to a callback. `lost`: none, after the effect. */
export type AnswerFault = number | 'lost' | 'slow';

/** The callbacks of a capture and its report, by the end of their paths. */
export const callbackEnds = ['prepare', 'progress', 'upload-url', 'complete', 'failure', 'eviction'] as const;
export type CallbackEnd = (typeof callbackEnds)[number];

interface Moment {
  readonly end: CallbackEnd;
  readonly when: 'before' | 'after';
  readonly work: () => Promise<void>;
}

const served = [
  'utility/jwks',
  'callbacks/workspace-ready',
  'callbacks/provisioning-failed',
  'callbacks/workspace-eviction',
  ...['prepare', 'progress', 'failure', 'upload-url', 'complete', 'restore', 'restore-result'].map(
    (name) => `callbacks/session-snapshot-${name}`,
  ),
];
const steps = [
  'provision-workspace/create-on-node',
  'provision-workspace/restore-on-node',
  'provision-workspace/resume-sessions',
  'stop-workspace/stop-on-node',
] as const;

const slowMs = 1_500;

/** The real callbacks and steps of a control plane, over the emulator's table and bucket. */
export class EvictionPlane implements AsyncDisposable {
  readonly reports: RecordedCall[] = [];
  private readonly moments: Moment[] = [];
  private readonly faults = new Map<string, AnswerFault[]>();

  private constructor(
    readonly fake: FakeControlPlane,
    readonly stage: EvictionStage,
    readonly objects: ObjectDoor,
    private readonly routes: ServedRoutes,
    private readonly steps: ReadonlyMap<string, RunStep>,
  ) {
    fake.intercept = (call) => this.serve(call);
  }

  static async start(): Promise<EvictionPlane> {
    const fake = await FakeControlPlane.start('0.0.0.0');
    // It is the issuer of the tokens; read when the functions are loaded.
    Object.assign(process.env, { PUBLIC_URL: fake.url, TOKEN_ISSUER: fake.url });
    const stage = await EvictionStage.start();
    const loaded = await ServedRoutes.load(served);
    const run = new Map<string, RunStep>();
    for (const name of steps) run.set(name, await loadStep(name));
    return new EvictionPlane(fake, stage, await ObjectDoor.open(), loaded, run);
  }

  /** The next callbacks of this kind get these answers, one each. */
  fail(end: CallbackEnd, ...faults: readonly AnswerFault[]): void {
    this.faults.set(end, [...(this.faults.get(end) ?? []), ...faults]);
  }

  /** Once, before or after the effect of the next callback of this kind, which waits for it. */
  at(end: CallbackEnd, when: Moment['when'], work: Moment['work']): void {
    this.moments.push({ end, when, work });
  }

  calm(): void {
    this.faults.clear();
    this.objects.calm();
    this.moments.length = 0;
  }

  run(name: (typeof steps)[number], input: Readonly<Record<string, unknown>>): Promise<unknown> {
    const step = this.steps.get(name);
    if (!step) throw new Error(`${name} is not loaded`);
    return step(input);
  }

  async management(nodeId: string, workspaceId: string): Promise<string> {
    const claims = { sub: 'control-plane', node: nodeId, workspace: workspaceId };
    return (await issueToken(signingKeys(), 'management', { claims, now: new Date() })).token;
  }

  /** A report that came before comes again. */
  async repeat({ path, authorization, body }: RecordedCall): Promise<number> {
    const answer = await this.invoke({ path, authorization, body });
    return answer?.status ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fake[Symbol.asyncDispose]();
    await this.objects[Symbol.asyncDispose]();
    await this.stage.sleeping.node[Symbol.asyncDispose]();
  }

  private async serve(call: RecordedCall): Promise<Answer | undefined> {
    const end = new URL(call.path, this.fake.url).pathname.split('/').at(-1) ?? '';
    if (end === 'eviction') this.reports.push(call);
    const fault = this.faults.get(end)?.shift();
    await this.reach(end, 'before');
    if (fault === 'slow') await wait(slowMs);
    if (typeof fault === 'number') return { status: fault, body: { error: 'NEMESIS', message: 'A fault' } };
    const answer = await this.invoke(call);
    await this.reach(end, 'after');
    // It cuts the connection.
    if (fault === 'lost') throw new Error('The answer is lost');
    return answer;
  }

  private async reach(end: string, when: Moment['when']): Promise<void> {
    const index = this.moments.findIndex((moment) => moment.end === end && moment.when === when);
    if (index >= 0) await this.moments.splice(index, 1)[0]?.work();
  }

  /** Undefined: another route, which the fake answers. */
  private async invoke(call: RecordedCall): Promise<Answer | undefined> {
    const reply = await this.routes.invoke(call);
    return reply && { status: reply.status, body: this.throughDoor(reply.body) };
  }

  private throughDoor(body: unknown): unknown {
    const { uploadUrl, download } = (body ?? {}) as {
      readonly uploadUrl?: string;
      readonly download?: Readonly<Record<string, string | null>>;
    };
    if (uploadUrl !== undefined) return { ...(body as object), uploadUrl: this.objects.to(uploadUrl) };
    if (download === undefined) return body;
    const through = Object.entries(download).map(([name, url]) => [name, url && this.objects.to(url)]);
    return { ...(body as object), download: Object.fromEntries(through) };
  }
}
