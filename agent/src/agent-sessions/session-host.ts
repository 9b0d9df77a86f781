import { setTimeout as wait } from 'node:timers/promises';
import type { AgentType, HostStatus } from '../../../protocol/agent-sessions.js';
import type { EndedPrompt } from '../conversation/conversation.js';
import type { HarnessExit } from '../harness/harness.js';
import { asHarnessError } from './harness-slot.js';
import { type Ending, type HostParts, HostState } from './host-state.js';
import { endTurnEarly, takeAway } from './preemption.js';
import type { SessionRecord } from './session-record.js';
import { type Preemption, plainEnd, Turn, type TurnRequest } from './turn.js';
import { TurnRun } from './turn-run.js';

/**
 * What runs one session: at most one harness, at most one prompt in flight. Nothing is queued; whether a prompt can be
 * taken, and taking it, is one synchronous step, between which the caller makes the acceptance durable.
 */
export class SessionHost {
  private readonly state: HostState;
  private run: TurnRun | null = null;
  /** What goes on at the moment; never rejects. */
  private work: Promise<void> = Promise.resolve();

  constructor(
    private readonly parts: HostParts,
    session: SessionRecord,
  ) {
    this.state = new HostState(parts, session);
    parts.seat.onGone = (exit) => this.harnessLeft(exit);
  }

  get status(): HostStatus {
    return this.state.status;
  }

  get errorMessage(): string | null {
    return this.state.errorMessage;
  }

  get agentType(): AgentType | null {
    return this.state.record?.agentType ?? null;
  }

  /** The prompt in flight is told of what is heard. */
  get turn(): Turn | null {
    return this.state.turn;
  }

  /** Takes an accepted prompt. The host must be ready, or idle with a kind of agent chosen. */
  take(request: TurnRequest): Promise<EndedPrompt> {
    const turn = new Turn(request);
    this.state.turn = turn;
    this.state.changed();
    this.parts.sink.promptStarted(turn.prompt);
    const run = new TurnRun(this.state, turn);
    this.run = run;
    // Visible before anybody else can ask.
    const isSeated = this.parts.seat.current !== null && this.parts.seat.agentType === this.agentType;
    this.state.show(isSeated ? 'prompting' : 'starting');
    this.begin(() => run.run());
    return turn.ended;
  }

  /** Starts the harness without a prompt, in the background. */
  wake(): void {
    if (this.state.status !== 'idle' || this.agentType === null || this.state.ending) return;
    this.state.show('starting');
    this.begin(() => this.launch());
  }

  /** Starts the harness without a prompt, and waits for it; another kind takes the place of the one that runs. */
  async select(): Promise<void> {
    if (this.parts.seat.agentType === this.agentType) return;
    this.state.show('starting');
    this.begin(() => this.launch());
    await this.work;
  }

  /** False when there is no prompt in flight. */
  cancel(): boolean {
    const { turn } = this.state;
    if (!turn) return false;
    if (turn.isCancelled) return true;
    turn.cancel();
    this.state.tell('info', 'prompt_cancelled', 'The prompt was cancelled');
    const harness = this.parts.seat.current;
    if (!turn.isInvoked) this.state.endTurn(turn, plainEnd('cancelled'), this.state.status);
    else if (harness && this.state.status === 'prompting')
      this.watch(endTurnEarly(this.state, turn, harness), 'cancel');
    return true;
  }

  /** Why the harness cannot be taken from its turn, if so. */
  preemptionRefusal(): 'rollover_failed' | 'process_changed' | null {
    const { status, turn } = this.state;
    if (status === 'recovering' && turn) return 'process_changed';
    if (status !== 'prompting' || !turn || turn.preemption) return 'rollover_failed';
    if (turn.forcedFor !== null) return 'process_changed';
    return this.parts.seat.current?.canLoad ? null : 'rollover_failed';
  }

  /** Begins a rollover that was not refused. */
  preempt(preemption: Preemption): void {
    const { turn } = this.state;
    if (!turn) return;
    turn.preemption = preemption;
    this.watch(takeAway(this.state, turn, preemption), 'rollover');
  }

  /** Ends all of it; afterwards no harness of this session runs, and nothing more is heard of it. */
  async close(ending: Ending): Promise<void> {
    if (this.state.ending) return void (await this.work);
    this.state.ending = ending;
    this.state.life.abort(new Error(`The session is ${ending}`));
    await this.parts.seat.stop();
    const late = new AbortController();
    const { stopTimeoutMs } = this.parts.limits;
    await Promise.race([
      this.work,
      wait(stopTimeoutMs, undefined, { signal: late.signal }).catch(() => null),
    ]);
    late.abort();
    this.endTurn(ending);
    this.state.show(ending === 'suspended' ? 'idle' : 'stopped');
  }

  private endTurn(ending: Ending): void {
    const { turn } = this.state;
    if (!turn) return;
    if (ending === 'shutdown') {
      this.state.turn = null;
      turn.finish({ ...plainEnd('cancelled'), promptStartedAt: turn.prompt.promptStartedAt });
      return;
    }
    const errorMessage = `The session was ${ending}`;
    const rollover = { state: 'failed', errorCode: 'rollover_cancelled', errorMessage } as const;
    this.state.endTurn(turn, plainEnd('cancelled', errorMessage), 'stopped', rollover);
  }

  private harnessLeft(exit: HarnessExit | null): void {
    if (this.state.turn) this.run?.harnessLeft(exit);
    else if (this.state.status === 'ready' && !this.state.ending) {
      this.state.show('recovering');
      this.begin(() => this.relaunch(exit));
    }
  }

  private async launch(): Promise<void> {
    try {
      await this.parts.launcher.start(this.state.life.signal);
      this.state.show('ready');
    } catch (failure) {
      this.state.fail(asHarnessError(failure), 'start_failed');
    }
  }

  /** It has gone while nothing was asked of it. */
  private async relaunch(exit: HarnessExit | null): Promise<void> {
    const agentType = this.agentType;
    if (agentType) this.parts.sink.agentStatus('restarting', agentType);
    this.parts.log.warn('Harness ended', {
      ...this.parts.key,
      exitCode: exit?.exitCode,
      signal: exit?.signal,
    });
    try {
      await this.parts.launcher.restart(this.state.life.signal);
      if (agentType) this.parts.sink.agentStatus('recovered', agentType);
      this.state.show('ready');
    } catch (failure) {
      this.state.fail(asHarnessError(failure), 'failed');
    }
  }

  private begin(work: () => Promise<void>): void {
    this.work = work().catch((error: unknown) => {
      if (this.state.ending) return;
      this.parts.log.error('Agent session broke', { ...this.parts.key, error });
      const { turn } = this.state;
      if (turn) this.state.endTurn(turn, plainEnd('fatal_error', 'The node failed'), 'error');
      this.state.fail(asHarnessError(error), 'failed');
    });
  }

  private watch(work: Promise<void>, what: string): void {
    work.catch((error: unknown) => this.parts.log.error('Agent session', { ...this.parts.key, what, error }));
  }
}
