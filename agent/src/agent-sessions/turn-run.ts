import { conversationLost } from '../conversation/notice.js';
import { type Harness, HarnessError, type HarnessExit } from '../harness/harness.js';
import { asHarnessError } from './harness-slot.js';
import { promptTimeoutOf } from './host-limits.js';
import type { HostState } from './host-state.js';
import { failureOfRollover } from './preemption.js';
import { promptWithRetries } from './prompt-with-retries.js';
import type { RolloverEnd } from './rollover-store.js';
import {
  endOf,
  failedEnd,
  isNatural,
  type Preemption,
  plainEnd,
  recoveredEnd,
  type Turn,
  type TurnOutcome,
} from './turn.js';

/** Runs one accepted prompt to its end: start, retries, crashes, rollover, deadline. */
export class TurnRun {
  private harnessExit = Promise.withResolvers<HarnessExit | null>();

  constructor(
    private readonly state: HostState,
    private readonly turn: Turn,
  ) {}

  onHarnessExit(exit: HarnessExit | null): void {
    this.harnessExit.resolve(exit);
  }

  async run(): Promise<void> {
    const harness = await this.ensureHarness();
    if (this.state.turn !== this.turn) {
      // The prompt was cancelled while the harness started.
      if (harness && this.state.turn === null) this.state.setStatus('ready');
      return;
    }
    if (!harness) return;
    const outcome = await this.promptHarness(harness);
    this.turn.settle(outcome);
    if (!this.state.ending) await this.conclude(outcome);
  }

  /** Null when no harness could be started and the turn has ended. */
  private async ensureHarness(): Promise<Harness | null> {
    const { slot, starter } = this.state.deps;
    const { signal } = this.state.lifetime;
    const agentType = this.state.record?.agentType ?? null;
    if (slot.current && slot.agentType === agentType) return slot.current;
    if (this.state.status !== 'starting') this.state.setStatus('starting');
    try {
      let harness = await starter.start(signal);
      // The harness may exit before it gets the prompt. That counts as one more crash.
      while (slot.current !== harness) harness = await starter.restart(signal);
      return harness;
    } catch (failure) {
      if (!this.state.ending) this.failTurn(asHarnessError(failure), 'start_failed');
      return null;
    }
  }

  private async promptHarness(harness: Harness): Promise<TurnOutcome> {
    const { deps, lifetime, record } = this.state;
    if (deps.slot.current !== harness) return { kind: 'gone', exit: null, error: null };
    this.harnessExit = Promise.withResolvers();
    if (record && record.acpSessionId !== harness.acpSessionId) {
      deps.records.openAcpSession(deps.key, harness.acpSessionId);
      this.state.publishRecord();
    }
    this.turn.summary = deps.records.summaryFor(deps.key);
    if (this.state.status !== 'prompting') this.state.setStatus('prompting');
    const timer = this.startDeadline(promptTimeoutOf(deps.limits, record));
    try {
      return await promptWithRetries(this.turn, harness, {
        retries: deps.limits.retries,
        drainMs: deps.limits.drainMs,
        gone: this.harnessExit.promise,
        signal: lifetime.signal,
        onRetry: (retry) => {
          deps.sink.promptRetried(retry);
          this.state.addEvent({
            level: 'warn',
            what: 'prompt_retry',
            message: 'Retrying the prompt',
            detail: retry,
          });
        },
      });
    } finally {
      clearTimeout(timer);
    }
  }

  private startDeadline(timeoutMs: number): NodeJS.Timeout | undefined {
    if (timeoutMs === 0) return undefined;
    return setTimeout(() => {
      this.turn.forcedFor = 'deadline';
      void this.state.deps.slot.stop();
    }, timeoutMs);
  }

  private async conclude(outcome: TurnOutcome): Promise<void> {
    const { turn, state } = this;
    if (turn.forcedFor === 'deadline') {
      const message = 'The prompt exceeded its timeout';
      const rollover = { state: 'failed', errorCode: 'rollover_failed', errorMessage: message } as const;
      return this.failTurn(new HarnessError('failed', message), 'failed', rollover);
    }
    if (turn.preemption) return this.concludeRollover(outcome, turn.preemption);
    if (outcome.kind !== 'gone') return this.endNormally(outcome);
    if (turn.forcedFor === null) return this.recover(outcome);
    state.endTurn(turn, plainEnd('cancelled'), { next: 'recovering' });
    return this.restartAfterTurn();
  }

  /** The work of a task is pushed before the turn ends: then the workspace may be stopped. */
  private async endNormally(outcome: Exclude<TurnOutcome, { kind: 'gone' }>): Promise<void> {
    const { turn, state } = this;
    const { taskWork, sink } = state.deps;
    const end = endOf(turn, outcome);
    if (end.stopReason === 'end_turn' && state.record) {
      const notice = await taskWork.save(state.record);
      if (notice && state.turn === turn) sink.notice(notice);
      if (turn.preemption) return this.concludeRollover(outcome, turn.preemption);
    }
    state.endTurn(turn, end, { next: 'ready' });
  }

  /** Restarts a harness that crashed during the turn. */
  private async recover(outcome: TurnOutcome & { kind: 'gone' }): Promise<void> {
    const { state } = this;
    const crash = crashOf(outcome);
    state.setStatus('recovering');
    state.publishAgentStatus('recovering');
    const failure = await state.deps.starter.restart(state.lifetime.signal).then(
      () => null,
      (error: unknown) => asHarnessError(error),
    );
    if (state.ending) return;
    this.publishCrash(crash, failure);
    if (failure) {
      this.failRecovery(failedRestart(failure, crash));
      return;
    }
    state.publishAgentStatus('recovered');
    const end = this.turn.isCancelled ? plainEnd('cancelled') : recoveredEnd(crash);
    state.endTurn(this.turn, end, { next: 'ready' });
  }

  private failRecovery(error: HarnessError): void {
    const { turn, state } = this;
    if (!state.loseConversation(error)) {
      this.failTurn(error, 'failed');
      return;
    }
    const end = { ...failedEnd('error', error), errorCode: conversationLost };
    state.endTurn(turn, end, { next: 'idle' });
  }

  private publishCrash({ message, detail }: HarnessError, failure: HarnessError | null): void {
    const agentType = this.state.record?.agentType;
    if (!agentType) return;
    this.state.deps.sink.crashed({
      agentType,
      isRecovered: failure === null,
      message: failure?.message ?? message,
      stderr: detail.stderr ?? '',
      isStderrTruncated: detail.isStderrTruncated ?? false,
    });
  }

  private async concludeRollover(outcome: TurnOutcome, preemption: Preemption): Promise<void> {
    const { turn, state } = this;
    if (!isNatural(outcome) && !turn.isCancelled) return this.replaceHarness(preemption);
    const needsAnother = preemption.isClosing || outcome.kind === 'gone';
    const end = outcome.kind === 'gone' ? plainEnd('cancelled') : endOf(turn, outcome);
    const rollover = { state: 'superseded', isForced: preemption.isForced } as const;
    state.endTurn(turn, end, { next: needsAnother ? 'recovering' : 'ready', rollover });
    if (needsAnother) await this.restartAfterTurn();
  }

  private async replaceHarness(preemption: Preemption): Promise<void> {
    const { turn, state } = this;
    const { isForced } = preemption;
    state.setStatus('recovering');
    try {
      await state.deps.starter.replace(AbortSignal.any([state.lifetime.signal, preemption.deadline]));
    } catch (failure) {
      if (state.ending) return;
      const rollover = failureOfRollover(preemption, failure);
      const error = new HarnessError('failed', rollover.errorMessage ?? 'The rollover failed');
      return this.failTurn(error, 'failed', rollover);
    }
    const [stopReason, result] = turn.isCancelled
      ? (['cancelled', 'superseded'] as const)
      : (['checkpoint_preempted', 'completed'] as const);
    state.endTurn(turn, plainEnd(stopReason), { next: 'ready', rollover: { state: result, isForced } });
  }

  /** Restarts a harness that was stopped, or whose session was closed. */
  private async restartAfterTurn(): Promise<void> {
    try {
      await this.state.deps.starter.replace(this.state.lifetime.signal);
      this.state.setStatus('ready');
    } catch (failure) {
      this.state.failOrOffer(asHarnessError(failure));
    }
  }

  /** After a failed restart of the harness that the prompt waited for. */
  endBeforeStart(): void {
    const end = plainEnd('fatal_error', this.state.errorMessage);
    this.state.endTurn(this.turn, end, { next: 'error' });
  }

  private failTurn(error: HarnessError, what: 'start_failed' | 'failed', rollover?: RolloverEnd): void {
    this.state.endTurn(this.turn, failedEnd('fatal_error', error), { next: 'error', rollover });
    this.state.fail(error, what, { isInChat: true });
  }
}

function crashOf({ error, exit }: TurnOutcome & { kind: 'gone' }): HarnessError {
  if (error) return error;
  const code = exit?.exitCode === null ? 'no exit code' : `exit code ${exit?.exitCode}`;
  const how = exit?.outOfMemory
    ? `was ended by the kernel: ${exit.outOfMemory}`
    : `exited (${exit?.signal ?? code})`;
  return new HarnessError('crashed', `The coding agent ${how}`, {
    stderr: exit?.stderr ?? '',
    isStderrTruncated: exit?.isStderrTruncated ?? false,
    code: exit?.outOfMemory ? 'harness_out_of_memory' : 'agent_crash',
  });
}

/** The stderr of the crash explains more than the failed restart. */
function failedRestart(failure: HarnessError, crash: HarnessError): HarnessError {
  const what = `${crash.message.replace(/\.$/, '')} during this turn`;
  const stderr = failure.detail.stderr || crash.detail.stderr;
  return new HarnessError(failure.kind, `${what}, and could not be started again: ${failure.message}`, {
    ...crash.detail,
    ...failure.detail,
    ...(stderr === undefined ? {} : { stderr }),
    code: failure.detail.code || crash.detail.code || 'agent_crash',
    cause: failure,
  });
}
