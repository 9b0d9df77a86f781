import { setTimeout as wait } from 'node:timers/promises';
import type { AgentType, HostStatus } from '../../../protocol/agent-sessions.js';
import type { EndedPrompt } from '../conversation/conversation.js';
import { noticeOfLostConversation } from '../conversation/notice.js';
import { evictionText, isEvictionReason } from '../eviction/eviction-text.js';
import type { HarnessError, HarnessExit } from '../harness/harness.js';
import { asHarnessError } from './harness-slot.js';
import { type HostDeps, type HostEnding, HostState } from './host-state.js';
import { cancelTurn, preemptTurn } from './preemption.js';
import type { SessionRecord } from './session-record.js';
import { evictedEnd, type Preemption, plainEnd, Turn, type TurnRequest } from './turn.js';
import { TurnRun } from './turn-run.js';

/**
 * Runs one session: at most one harness and one prompt in flight, no queue. The caller checks
 * the status, commits the acceptance and calls `startTurn` in one synchronous step.
 */
export class SessionHost {
  private readonly state: HostState;
  private run: TurnRun | null = null;
  /** Tasks that its harness runs beside or after turns. */
  backgroundWork = 0;
  /** The running turn or start. Never rejects. */
  private work: Promise<void> = Promise.resolve();

  constructor(
    private readonly deps: HostDeps,
    session: SessionRecord,
  ) {
    this.state = new HostState(deps, session);
    deps.slot.onGone = (exit) => this.onHarnessExit(exit);
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

  /** Updates of the harness are recorded on the turn in flight. */
  get turn(): Turn | null {
    return this.state.turn;
  }

  /**
   * Runs an accepted prompt. The host must be ready, idle with an agent type chosen, or restarting
   * its harness without a turn.
   */
  startTurn(request: TurnRequest): Promise<EndedPrompt> {
    const turn = new Turn(request);
    this.state.turn = turn;
    this.state.publishRecord();
    this.deps.sink.promptStarted(turn.prompt);
    const run = new TurnRun(this.state, turn);
    this.run = run;
    if (this.state.status === 'recovering') {
      const restart = this.work;
      this.begin(() => this.runAfter(restart, run));
      return turn.ended;
    }
    // Set synchronously, so that the next request sees the new status.
    const holdsSlot = this.deps.slot.current !== null && this.deps.slot.agentType === this.agentType;
    this.state.setStatus(holdsSlot ? 'prompting' : 'starting');
    this.begin(() => run.run());
    return turn.ended;
  }

  private async runAfter(restart: Promise<void>, run: TurnRun): Promise<void> {
    await restart;
    if (this.state.status === 'error') run.endBeforeStart();
    else await run.run();
  }

  /** After a failed load at a start. Returns true when the next start opens a new ACP session. */
  offerNewSession(failure: HarnessError): boolean {
    if (!this.state.loseConversation(failure)) return false;
    this.deps.sink.notice(noticeOfLostConversation(failure.message));
    return true;
  }

  /** Starts the harness in the background, without a prompt. */
  startHarness(): void {
    if (this.state.status !== 'idle' || this.agentType === null || this.state.ending) return;
    this.state.setStatus('starting');
    this.begin(() => this.launch());
  }

  /** Starts the harness of the chosen agent type and waits. Replaces one of another type. */
  async startChosenAgent({ isStrict } = { isStrict: false }): Promise<void> {
    if (this.deps.slot.agentType === this.agentType) return;
    this.state.setStatus('starting');
    this.begin(() => this.launch({ isStrict }));
    await this.work;
  }

  /** Returns false when no prompt is in flight. */
  cancel(): boolean {
    const { turn } = this.state;
    if (!turn) return false;
    const isRepeated = turn.isCancelled;
    turn.cancel();
    if (isRepeated) return true;
    this.state.addEvent({ level: 'info', what: 'prompt_cancelled', message: 'Prompt cancelled' });
    const harness = this.deps.slot.current;
    if (!turn.isInvoked) this.state.endTurn(turn, plainEnd('cancelled'), { next: this.state.status });
    else if (harness && this.state.status === 'prompting')
      this.watch(cancelTurn(this.state, turn, harness), 'cancel');
    return true;
  }

  /** Why a rollover cannot begin now; null when it can. */
  preemptionRefusal(): 'rollover_failed' | 'process_changed' | null {
    const { status, turn } = this.state;
    if (status === 'recovering' && turn) return 'process_changed';
    if (status !== 'prompting' || !turn || turn.preemption) return 'rollover_failed';
    if (turn.forcedFor !== null) return 'process_changed';
    return this.deps.slot.current?.canLoad ? null : 'rollover_failed';
  }

  /** Begins a rollover for which `preemptionRefusal` returned null. */
  preempt(preemption: Preemption): void {
    const { turn } = this.state;
    if (!turn) return;
    turn.preemption = preemption;
    this.watch(preemptTurn(this.state, turn, preemption), 'rollover');
  }

  /** Stops the harness and ends the turn. No update follows. */
  async close(ending: HostEnding): Promise<void> {
    if (this.state.ending) return void (await this.work);
    this.state.ending = ending;
    this.state.lifetime.abort(new Error(`The session is ${ending}`));
    this.deps.interactions.settleAll(ending === 'shutdown' ? 'connection_closed' : 'session_stopped');
    await this.deps.slot.stop();
    const late = new AbortController();
    const { stopTimeoutMs } = this.deps.limits;
    await Promise.race([
      this.work,
      wait(stopTimeoutMs, undefined, { signal: late.signal }).catch(() => null),
    ]);
    late.abort();
    this.endTurn(ending);
    this.state.setStatus(ending === 'stopped' || ending === 'shutdown' ? 'stopped' : 'idle');
  }

  private endTurn(ending: HostEnding): void {
    const { turn } = this.state;
    if (!turn) return;
    if (ending === 'shutdown') {
      this.state.turn = null;
      turn.finish({ ...plainEnd('cancelled'), promptStartedAt: turn.prompt.promptStartedAt });
      return;
    }
    const errorMessage = isEvictionReason(ending) ? evictionText[ending] : `Session ${ending}`;
    const end = isEvictionReason(ending) ? evictedEnd(errorMessage) : plainEnd('cancelled', errorMessage);
    const rollover = { state: 'failed', errorCode: 'rollover_cancelled', errorMessage } as const;
    this.state.endTurn(turn, end, { next: 'stopped', rollover });
  }

  private onHarnessExit(exit: HarnessExit | null): void {
    this.deps.interactions.settleAll('connection_closed');
    if (this.state.turn) this.run?.onHarnessExit(exit);
    else if (this.state.status === 'ready' && !this.state.ending) {
      this.state.setStatus('recovering');
      this.begin(() => this.relaunch(exit));
    }
  }

  private async launch({ isStrict } = { isStrict: false }): Promise<void> {
    const { starter } = this.deps;
    const { signal } = this.state.lifetime;
    try {
      await (isStrict ? starter.startStrictly(signal) : starter.start(signal));
      this.state.setStatus('ready');
    } catch (failure) {
      this.state.fail(asHarnessError(failure), 'start_failed');
    }
  }

  /** Restarts a harness that exited while no prompt was in flight. */
  private async relaunch(exit: HarnessExit | null): Promise<void> {
    this.state.publishAgentStatus('restarting');
    this.deps.log.warn('Harness exited', {
      ...this.deps.key,
      exitCode: exit?.exitCode,
      signal: exit?.signal,
    });
    try {
      await this.deps.starter.restart(this.state.lifetime.signal);
      this.state.publishAgentStatus('recovered');
      this.state.setStatus('ready');
    } catch (failure) {
      this.state.failOrOffer(asHarnessError(failure));
    }
  }

  private begin(work: () => Promise<void>): void {
    this.work = work().catch((error: unknown) => {
      if (this.state.ending) return;
      this.deps.log.error('Agent session failed unexpectedly', { ...this.deps.key, error });
      const { turn } = this.state;
      const end = plainEnd('fatal_error', 'Internal error of the node agent');
      if (turn) this.state.endTurn(turn, end, { next: 'error' });
      this.state.fail(asHarnessError(error), 'failed');
    });
  }

  private watch(work: Promise<void>, what: string): void {
    work.catch((error: unknown) =>
      this.deps.log.error('Agent session operation failed', { ...this.deps.key, what, error }),
    );
  }
}
