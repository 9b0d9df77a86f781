import type { ContentBlock, SessionNotification, StopReason } from '@agentclientprotocol/sdk';
import {
  type Harness,
  HarnessError,
  type HarnessExit,
  type Harnesses,
  type HarnessListener,
  type HarnessRequest,
} from '../../agent/src/harness/harness.js';

/** One turn of a stub, which the test ends. */
interface StubTurn {
  readonly text: string;
  end(stopReason?: StopReason): void;
  fail(error: HarnessError): void;
}

/** A harness in memory that only the test drives. */
export class StubHarness implements Harness {
  readonly turns: StubTurn[] = [];
  readonly calls: string[] = [];
  canLoad = true;
  canCancel = true;
  canClose = true;
  /** Effect of `session/cancel` on the turn. */
  onCancel: (turn: StubTurn) => void = (turn) => turn.end('cancelled');
  endsWhenStopped = true;
  isGone = false;
  private readonly exit = Promise.withResolvers<HarnessExit>();
  private pending: ((error: HarnessError) => void) | null = null;

  constructor(
    readonly acpSessionId: string,
    readonly request: HarnessRequest,
    private readonly listener: HarnessListener,
  ) {}

  get exited(): Promise<HarnessExit> {
    return this.exit.promise;
  }

  prompt(blocks: readonly ContentBlock[]): Promise<{ readonly stopReason: StopReason }> {
    if (this.isGone) return Promise.reject(new HarnessError('crashed', 'gone'));
    const { promise, resolve, reject } = Promise.withResolvers<{ readonly stopReason: StopReason }>();
    this.pending = reject;
    const text = blocks.map((block) => ('text' in block ? block.text : '')).join('|');
    this.turns.push({ text, end: (stopReason = 'end_turn') => resolve({ stopReason }), fail: reject });
    return promise;
  }

  async cancel(): Promise<void> {
    this.calls.push('cancel');
    const turn = this.turns.at(-1);
    if (turn) this.onCancel(turn);
  }

  async close(): Promise<void> {
    this.calls.push('close');
  }

  stop(): Promise<HarnessExit> {
    this.calls.push('stop');
    if (this.endsWhenStopped) this.die({ isIntended: true, stderr: '' });
    return this.exited;
  }

  /** Sends an update of the turn. */
  say(text: string): void {
    const update: SessionNotification['update'] = {
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text },
    };
    void this.listener.onUpdate({ sessionId: this.acpSessionId, update });
  }

  /** Requests something of a person, as a harness does. */
  get requests(): HarnessListener {
    return this.listener;
  }

  /** Ends the process. */
  die(how: Partial<HarnessExit> = {}): void {
    this.isGone = true;
    const exit = { exitCode: 3, signal: null, isStderrTruncated: false, livedMs: 1, isIntended: false };
    const whole = { ...exit, stderr: 'it broke', ...how };
    this.pending?.(new HarnessError('crashed', 'The harness ended', { stderr: whole.stderr }));
    this.exit.resolve(whole);
  }
}

/** Starts stubs. A test may delay starts or let them fail. */
export class StubHarnesses implements Harnesses {
  readonly started: StubHarness[] = [];
  readonly requests: HarnessRequest[] = [];
  /** Errors of the next starts in order; null for a successful one. */
  readonly failures: (HarnessError | null)[] = [];
  /** The next starts wait for this promise. */
  gate: Promise<void> = Promise.resolve();
  prepare: (harness: StubHarness) => void = () => undefined;
  nextId: string | null = null;

  async start(request: HarnessRequest, listener: HarnessListener, signal: AbortSignal): Promise<Harness> {
    this.requests.push(request);
    const aborted = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    );
    await Promise.race([this.gate, aborted]);
    const failure = this.failures.shift();
    if (failure) throw failure;
    const own =
      request.session.mode === 'load' ? request.session.acpSessionId : `acp-${this.started.length + 1}`;
    const harness = new StubHarness(this.nextId ?? own, request, listener);
    this.prepare(harness);
    this.started.push(harness);
    return harness;
  }

  get last(): StubHarness {
    const harness = this.started.at(-1);
    if (!harness) throw new Error('No harness was started');
    return harness;
  }
}
