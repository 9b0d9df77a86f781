import { type Harness, HarnessError, type HarnessExit } from '../harness/harness.js';
import { asHarnessError } from './harness-slot.js';
import type { HostState } from './host-state.js';
import { failureOfRollover } from './preemption.js';
import { converse } from './prompt-with-retries.js';
import type { RolloverEnd } from './rollover-store.js';
import {
  endOf,
  failedEnd,
  isNatural,
  type Preemption,
  plainEnd,
  type Turn,
  type TurnOutcome,
} from './turn.js';

/** Takes one accepted prompt to its end, whatever its harness does meanwhile. */
export class TurnRun {
  private gone = Promise.withResolvers<HarnessExit | null>();

  constructor(
    private readonly state: HostState,
    private readonly turn: Turn,
  ) {}

  harnessLeft(exit: HarnessExit | null): void {
    this.gone.resolve(exit);
  }

  async run(): Promise<void> {
    const harness = await this.seated();
    if (this.state.turn !== this.turn) {
      // Cancelled while the harness was started.
      if (harness && this.state.turn === null) this.state.show('ready');
      return;
    }
    if (!harness) return;
    const outcome = await this.converse(harness);
    this.turn.settle(outcome);
    if (!this.state.ending) await this.conclude(outcome);
  }

  /** The harness to prompt; null when the turn has ended for want of one. */
  private async seated(): Promise<Harness | null> {
    const { seat, launcher } = this.state.parts;
    const { signal } = this.state.life;
    const agentType = this.state.record?.agentType ?? null;
    if (seat.current && seat.agentType === agentType) return seat.current;
    if (this.state.status !== 'starting') this.state.show('starting');
    try {
      let harness = await launcher.start(signal);
      // It may have left before the prompt could be handed over: that is one more crash, and no harm.
      while (seat.current !== harness) harness = await launcher.restart(signal);
      return harness;
    } catch (failure) {
      if (!this.state.ending) this.giveUp(asHarnessError(failure), 'start_failed');
      return null;
    }
  }

  private async converse(harness: Harness): Promise<TurnOutcome> {
    const { parts, life, record } = this.state;
    if (parts.seat.current !== harness) return { kind: 'gone', exit: null, error: null };
    this.gone = Promise.withResolvers();
    if (record && record.acpSessionId !== harness.acpSessionId) {
      parts.store.opened(parts.key, harness.acpSessionId);
      this.state.changed();
    }
    if (this.state.status !== 'prompting') this.state.show('prompting');
    const timer = this.startDeadline(record?.taskMode === 'task');
    try {
      return await converse(this.turn, harness, {
        retries: parts.limits.retries,
        drainMs: parts.limits.drainMs,
        gone: this.gone.promise,
        signal: life.signal,
        onRetry: (retry) => {
          parts.sink.promptRetried(retry);
          this.state.tell('warn', 'prompt_retry', 'The prompt is tried again', retry);
        },
      });
    } finally {
      clearTimeout(timer);
    }
  }

  private startDeadline(isTask: boolean): NodeJS.Timeout | undefined {
    const { promptTimeoutMs, taskPromptTimeoutMs } = this.state.parts.limits;
    const timeoutMs = isTask ? taskPromptTimeoutMs : promptTimeoutMs;
    if (timeoutMs === 0) return undefined;
    return setTimeout(() => {
      this.turn.forcedFor = 'deadline';
      void this.state.parts.seat.stop();
    }, timeoutMs);
  }

  private async conclude(outcome: TurnOutcome): Promise<void> {
    const { turn, state } = this;
    if (turn.forcedFor === 'deadline') {
      const message = 'The prompt took longer than it may';
      const rollover = { state: 'failed', errorCode: 'rollover_failed', errorMessage: message } as const;
      return this.giveUp(new HarnessError('failed', message), 'failed', rollover);
    }
    if (turn.preemption) return this.concludeRollover(outcome, turn.preemption);
    if (outcome.kind !== 'gone') return state.endTurn(turn, endOf(turn, outcome), 'ready');
    if (turn.forcedFor === null) return this.recover(outcome);
    state.endTurn(turn, plainEnd('cancelled'), 'recovering');
    return this.bringBack();
  }

  /** The harness has crashed within the turn. */
  private async recover(outcome: TurnOutcome & { kind: 'gone' }): Promise<void> {
    const { sink, launcher } = this.state.parts;
    const crash = crashOf(outcome);
    const agentType = this.state.record?.agentType;
    this.state.show('recovering');
    if (agentType) sink.agentStatus('recovering', agentType);
    const failure = await launcher.restart(this.state.life.signal).then(
      () => null,
      (error: unknown) => asHarnessError(error),
    );
    if (this.state.ending) return;
    if (agentType)
      sink.crashed({
        agentType,
        isRecovered: failure === null,
        message: failure?.message ?? crash.message,
        stderr: crash.detail.stderr ?? '',
        isStderrTruncated: crash.detail.isStderrTruncated ?? false,
      });
    if (failure) return this.giveUp(withStderr(failure, crash), 'failed');
    if (agentType) sink.agentStatus('recovered', agentType);
    const end = this.turn.isCancelled ? plainEnd('cancelled') : plainEnd('recovered', crash.message);
    this.state.endTurn(this.turn, end, 'ready');
  }

  private async concludeRollover(outcome: TurnOutcome, preemption: Preemption): Promise<void> {
    const { turn, state } = this;
    if (!isNatural(outcome) && !turn.isCancelled) return this.replaceHarness(preemption);
    const needsAnother = preemption.isClosing || outcome.kind === 'gone';
    const end = outcome.kind === 'gone' ? plainEnd('cancelled') : endOf(turn, outcome);
    const rollover = { state: 'superseded', isForced: preemption.isForced } as const;
    state.endTurn(turn, end, needsAnother ? 'recovering' : 'ready', rollover);
    if (needsAnother) await this.bringBack();
  }

  private async replaceHarness(preemption: Preemption): Promise<void> {
    const { turn, state } = this;
    const { isForced } = preemption;
    state.show('recovering');
    try {
      await state.parts.launcher.replace(AbortSignal.any([state.life.signal, preemption.deadline]));
    } catch (failure) {
      if (state.ending) return;
      const rollover = failureOfRollover(preemption, failure);
      const error = new HarnessError('failed', rollover.errorMessage ?? 'The rollover failed');
      return this.giveUp(error, 'failed', rollover);
    }
    const [stopReason, result] = turn.isCancelled
      ? (['cancelled', 'superseded'] as const)
      : (['checkpoint_preempted', 'completed'] as const);
    state.endTurn(turn, plainEnd(stopReason), 'ready', { state: result, isForced });
  }

  /** After the turn: the harness was stopped, or told to close its session, and has to come back. */
  private async bringBack(): Promise<void> {
    try {
      await this.state.parts.launcher.replace(this.state.life.signal);
      this.state.show('ready');
    } catch (failure) {
      this.state.fail(asHarnessError(failure), 'failed');
    }
  }

  private giveUp(error: HarnessError, what: 'start_failed' | 'failed', rollover?: RolloverEnd): void {
    this.state.endTurn(this.turn, failedEnd('fatal_error', error), 'error', rollover);
    this.state.fail(error, what);
  }
}

function crashOf({ error, exit }: TurnOutcome & { kind: 'gone' }): HarnessError {
  if (error) return error;
  const how = exit?.signal ?? (exit?.exitCode === null ? 'no exit code' : `exit code ${exit?.exitCode}`);
  return new HarnessError('crashed', `The coding agent ended (${how})`, {
    stderr: exit?.stderr ?? '',
    isStderrTruncated: exit?.isStderrTruncated ?? false,
    code: 'agent_crash',
  });
}

/** What it said when it crashed tells more than that it did not come back. */
function withStderr(failure: HarnessError, crash: HarnessError): HarnessError {
  if (failure.detail.stderr) return failure;
  return new HarnessError(failure.kind, failure.message, {
    ...crash.detail,
    ...failure.detail,
    cause: failure,
  });
}
