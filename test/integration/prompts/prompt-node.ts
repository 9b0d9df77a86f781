import type { PromptEnvelope, PromptReceipt } from '../../../protocol/agent-sessions.js';
import { type NodeRequest, NodeStub } from '../workspaces/node-stub.js';

type Answer = { readonly status: number; readonly body: unknown };

/** A simulated node: it accepts each delivery once, and its replies can be lost. */
export class PromptNode implements AsyncDisposable {
  runtimeIdentity = 'run-1';
  isBusy = false;
  isStarted = false;
  receiptsSupported = true;
  /** The status of the session on the node. */
  session: 'running' | 'error' | 'suspended' | 'stopped' = 'running';
  /** Whether the agent can be started. */
  isBroken = false;
  /** Paths whose next answers are lost after the node has acted; each counts once. */
  losing: RegExp[] = [];
  /** Text of each turn that was begun, in order. */
  readonly taken: string[] = [];
  readonly cancelled: string[] = [];
  /** The delivery ids of the turns, in the same order. */
  readonly deliveryIds: string[] = [];
  private isAwake = true;
  private readonly receipts = new Map<string, PromptReceipt & { readonly hash: string }>();

  private constructor(readonly stub: NodeStub) {}

  static async start(): Promise<PromptNode> {
    const node = new PromptNode(await NodeStub.start());
    node.stub.onRequest = async (request) => {
      const answer = node.answer(request);
      const lost = node.losing.findIndex((path) => path.test(request.path));
      if (lost < 0) return answer;
      node.losing.splice(lost, 1);
      return { status: 502, body: {} };
    };
    return node;
  }

  /** Restarts the node agent: receipts on disk remain, deliveries in flight are unknown. */
  restart(): void {
    this.runtimeIdentity = `${this.runtimeIdentity}'`;
    this.isBusy = false;
    for (const [id, receipt] of this.receipts)
      if (receipt.state === 'in_flight') this.receipts.set(id, { ...receipt, state: 'ambiguous' });
  }

  endTurn(): void {
    this.complete({});
  }

  /** Reports that the agent of the delivery could not be started. */
  failToStart(): void {
    this.complete({ errorCode: 'never_invoked' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stub[Symbol.asyncDispose]();
  }

  private complete(end: { readonly errorCode?: string }): void {
    this.isBusy = false;
    for (const [id, receipt] of this.receipts)
      if (receipt.state === 'in_flight') this.receipts.set(id, { ...receipt, state: 'completed', ...end });
  }

  private answer({ method, path, body }: NodeRequest): Answer {
    const last = path.split('/').at(-1) ?? '';
    if (path.endsWith('/agent-capabilities')) return { status: 200, body: this.capabilities() };
    if (last === 'cancel') return this.cancel();
    if (last === 'prompt' || last === 'start') return this.submit(last, body);
    if (path.includes('/prompt-receipts/')) return this.lookUp(last);
    if (last === 'agent-sessions') return { status: 200, body: { sessions: [this.seen()] } };
    if (last === 'resume') return this.resume();
    return { status: 500, body: { error: `No answer to ${method} ${path}` } };
  }

  private capabilities() {
    const { runtimeIdentity, receiptsSupported: supported } = this;
    return {
      protocolVersion: 1,
      runtimeIdentity,
      promptReceipts: { supported, lookup: supported, states: [] },
    };
  }

  /** As a list of sessions has it: of the one that prompts are sent to. */
  private seen() {
    const sent = this.stub.requests.findLast(({ path }) => /\/(start|prompt)$/.test(path));
    const hostStatus = this.isBusy ? 'prompting' : 'idle';
    return { id: sent?.path.split('/').at(-2), status: this.session, hostStatus };
  }

  private resume(): Answer {
    this.session = 'running';
    this.isAwake = false;
    return { status: 200, body: this.seen() };
  }

  /** A prompt starts the agent, and is not taken yet. */
  private wake(): void {
    if (this.session !== 'running' || this.isAwake) return;
    this.isAwake = true;
    if (this.isBroken) this.session = 'error';
  }

  private cancel(): Answer {
    if (!this.isBusy) return { status: 409, body: { status: 'idle', message: '' } };
    this.cancelled.push(this.taken.at(-1) ?? '');
    this.endTurn();
    return { status: 200, body: { status: 'cancelled', message: '' } };
  }

  private submit(kind: 'prompt' | 'start', body: NodeRequest['body']): Answer {
    const deliveryId = String(body.deliveryId);
    const hash = JSON.stringify([kind, body.messageId, body.prompt ?? body.initialPrompt, body.agentType]);
    const known = this.receipts.get(deliveryId);
    if (known && known.hash !== hash) return envelope(409, 'conflict', known);
    if (known && known.state !== 'accepted') return envelope(200, 'accepted', known);
    const isReady = kind === 'start' || (this.isStarted && this.isAwake);
    const isTaken = this.session === 'running' && !this.isBusy && isReady;
    this.wake();
    const receipt = {
      deliveryId,
      state: isTaken ? ('in_flight' as const) : ('accepted' as const),
      runtimeIdentity: this.runtimeIdentity,
      acceptedAt: Date.now(),
      completedAt: null,
      hash,
    };
    this.receipts.set(deliveryId, receipt);
    if (!isTaken) return envelope(409, 'not_ready', receipt);
    this.isBusy = true;
    this.isStarted = true;
    this.deliveryIds.push(deliveryId);
    this.taken.push(String(body.prompt ?? body.initialPrompt));
    return envelope(202, 'accepted', receipt);
  }

  private lookUp(deliveryId: string): Answer {
    const receipt = this.receipts.get(deliveryId);
    if (receipt) return { status: 200, body: receipt };
    const unknown = { deliveryId, state: 'not_found', acceptedAt: null, completedAt: null };
    return { status: 404, body: { ...unknown, runtimeIdentity: this.runtimeIdentity } };
  }
}

const envelope = (status: number, word: PromptEnvelope['status'], receipt: PromptReceipt): Answer => ({
  status,
  body: { status: word, sessionId: 's', receipt },
});
