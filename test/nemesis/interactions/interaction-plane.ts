import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { SQSEvent } from 'aws-lambda';
import { changeNode } from '../../../lambdas/domain/nodes/change-node.js';
import type { WakeUp } from '../../../lambdas/domain/prompts/wake-up.js';
import { issueToken, type OwnClaims } from '../../../lambdas/domain/tokens/issue-token.js';
import type { Table } from '../../../lambdas/shared/table.js';
import {
  type Answer,
  FakeControlPlane,
  nodeId,
  type RecordedCall,
} from '../../integration/agent/fake-control-plane.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, lambdaContext, loadRoute } from '../../support/invoke.js';
import { TestWakeUpQueues } from '../../support/queues.js';
import { emptyTable } from '../../support/table.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { ServedRoutes } from '../served-routes.js';

/** `unheard`: a callback is cut before its effect, `lost`: after it. */
export const callbackFaults = ['unheard', 'lost', 'slow', 'unavailable'] as const;
export type CallbackFault = (typeof callbackFaults)[number];
export type CallbackEnd = 'create' | 'settle';

/** An interaction of a chat, and a cookie of who looks at it. */
export interface OwnInteraction {
  readonly projectId: string;
  readonly chatId: string;
  readonly cookie: string;
  readonly interactionId: string;
}

const served = [
  'utility/jwks',
  ...['messages', 'create-interaction', 'settle-interaction', 'complete-interaction-url'].map(
    (name) => `callbacks/${name}`,
  ),
];
const slowMs = 1_200;

interface Parts {
  readonly routes: ServedRoutes;
  readonly answer: Invoke;
  readonly detail: Invoke;
  readonly worker: typeof import('../../../lambdas/queues/deliver-prompts.js').handler;
  readonly queues: TestWakeUpQueues;
}

/** The real callbacks, member routes and worker of interactions, over an emulator's table. */
export class InteractionPlane implements AsyncDisposable {
  /** Of callbacks, by workspace and end. */
  private readonly faults = new Map<string, CallbackFault[]>();

  private constructor(
    readonly fake: FakeControlPlane,
    readonly table: Table,
    private readonly parts: Parts,
  ) {
    fake.intercept = (call) => this.serve(call);
  }

  static async start(): Promise<InteractionPlane> {
    const fake = await FakeControlPlane.start();
    // Functions read their environment when they are loaded.
    const { name: TABLE_NAME } = await emptyTable();
    Object.assign(process.env, functionEnv, { TABLE_NAME, PUBLIC_URL: fake.url, TOKEN_ISSUER: fake.url });
    const queues = await TestWakeUpQueues.create();
    const routes = await ServedRoutes.load(served);
    const answer = await loadRoute('chats/answer-interaction');
    const detail = await loadRoute('chats/interaction');
    const { table } = await import('../../../lambdas/shared/clients/documents.js');
    const { handler: worker } = await import('../../../lambdas/queues/deliver-prompts.js');
    return new InteractionPlane(fake, table, { routes, answer, detail, worker, queues });
  }

  async token<Kind extends 'management' | 'workspaceCallback' | 'terminal'>(
    kind: Kind,
    claims: OwnClaims<Kind>,
  ): Promise<string> {
    return (await issueToken(signingKeys(), kind, { claims, now: new Date() })).token;
  }

  /** The next callbacks of this kind. */
  fail(workspaceId: string, end: CallbackEnd, ...faults: readonly CallbackFault[]): void {
    this.faults.set(`${workspaceId} ${end}`, [...faults]);
  }

  calm(workspaceId: string): void {
    for (const end of ['create', 'settle'] as const) this.faults.delete(`${workspaceId} ${end}`);
  }

  /** As a page of the console. The status of the reply. */
  async answer(of: OwnInteraction, answerKey: string, optionId: string): Promise<number> {
    const answerHash = createHash('sha256').update(optionId).digest('hex');
    const decision = { kind: 'selected_option', optionId, answerHash };
    const headers = { origin: this.fake.url };
    return (await this.parts.answer({ ...asOwner(of), headers, body: { answerKey, decision } })).status;
  }

  async detail(of: OwnInteraction): Promise<unknown> {
    return (await this.parts.detail(asOwner(of))).body;
  }

  dueWakeUps(): Promise<readonly WakeUp[]> {
    // Only functions of the product send to it.
    return this.parts.queues.receive('DELAYED_WAKE_UP_QUEUE_URL') as Promise<readonly WakeUp[]>;
  }

  /** As the queue calls it. */
  async work(wakeUp: WakeUp): Promise<void> {
    const record = {
      messageId: 'one',
      body: JSON.stringify(wakeUp),
      eventSourceARN: 'arn:aws:sqs:::delayed',
    };
    await this.parts.worker({ Records: [record] } as unknown as SQSEvent, lambdaContext);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.fake[Symbol.asyncDispose]();
  }

  /** Calls to a node that had failed are sent again after it. */
  private async noteHeartbeat(): Promise<void> {
    const now = new Date();
    await changeNode(this.table, { nodeId, set: { lastHeartbeatAt: now.toISOString() }, when: {}, now });
  }

  private async serve(call: RecordedCall): Promise<Answer | undefined> {
    const [, workspaceId, end] = /workspaces\/(\w+)\/acp-interactions(.*)$/.exec(call.path) ?? [];
    const kind = end === '' ? 'create' : 'settle';
    const fault = workspaceId && this.faults.get(`${workspaceId} ${kind}`)?.shift();
    // An error cuts the connection.
    if (fault === 'unheard') throw new Error('The callback is cut');
    if (fault === 'slow') await wait(slowMs);
    if (fault === 'unavailable') return { status: 503, body: { error: 'NEMESIS', message: 'A fault' } };
    if (call.path.endsWith('/heartbeat')) await this.noteHeartbeat();
    const answer = await this.parts.routes.invoke(call);
    if (fault === 'lost') throw new Error('The answer is lost');
    return answer;
  }
}

const asOwner = ({ projectId, chatId: sessionId, interactionId, cookie }: OwnInteraction) => ({
  params: { projectId, sessionId, interactionId },
  cookies: [cookie],
});
