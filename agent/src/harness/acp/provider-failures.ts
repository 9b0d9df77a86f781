import type { SessionNotification } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import { HarnessError, type HarnessFailureCode, type HarnessListener } from '../harness.js';
import {
  classifyFailure,
  type FailureContext,
  failureText,
  isContextFull,
  stderrDetail,
} from '../harness-failure.js';

/**
 * Extension of ACP by which Claude Code and Codex report problems of the model provider. Without it
 * they retry silently, and Codex ends a failed turn as a normal one with the error as text.
 */
export const failureCapability = { jetbrains: { air: { version: 1, capabilities: ['sessionFailure'] } } };

const Meta = z.object({
  jetbrains: z.object({
    air: z.object({
      sessionFailure: z.object({
        category: z.string(),
        severity: z.enum(['warning', 'error']),
        title: z.string(),
      }),
    }),
  }),
});

const codes: Readonly<Record<string, HarnessFailureCode>> = {
  access: 'model_provider_credential_rejected',
  limit: 'provider_overloaded',
  service: 'provider_overloaded',
  connection: 'network_error',
};

function readFailure(meta: unknown) {
  const { data } = Meta.safeParse(meta);
  return data?.jetbrains.air.sessionFailure ?? null;
}

/** The failure that a harness reports with its answer to a prompt; null without one. */
export function failureOfAnswer(meta: unknown, context: FailureContext): HarnessError | null {
  const failure = readFailure(meta);
  if (failure?.severity !== 'error') return null;
  const isFull = isContextFull(failure.title);
  const isRefused = isFull || /\b4\d\d\b|invalid_request/.test(failure.title);
  const code = classifyFailure(failure.title).code || (isRefused ? '' : (codes[failure.category] ?? ''));
  const text = failureText(new Error(failure.title), context);
  return new HarnessError('failed', text, { ...stderrDetail(context), code, isContextFull: isFull });
}

interface ProviderRetriesDeps {
  /** Display name of the harness. */
  readonly name: string;
  /** Values to redact from notices. */
  readonly secrets: readonly string[];
  readonly listener: Pick<HarnessListener, 'onUpdate' | 'onNotice'>;
}

/** States in each turn that the provider fails and the harness tries again, and its HTTP status. */
export class ProviderRetries {
  private isStated = false;
  private statedStatus: string | null = null;

  constructor(private readonly deps: ProviderRetriesDeps) {}

  turnStarted(): void {
    this.isStated = false;
    this.statedStatus = null;
  }

  onUpdate(notification: SessionNotification): void | Promise<void> {
    const { update } = notification;
    const failure = update.sessionUpdate === 'session_info_update' ? readFailure(update._meta) : null;
    if (failure?.severity === 'warning' && codes[failure.category] !== undefined) this.state(failure.title);
    return this.deps.listener.onUpdate(notification);
  }

  /** Later reports of a turn are stated only when they name a status that is not stated yet. */
  private state(title: string): void {
    const status = statusIn(title);
    if (this.isStated && (status === null || status === this.statedStatus)) return;
    this.isStated = true;
    this.statedStatus = status;
    const { name, secrets, listener } = this.deps;
    const problem = status === null ? 'does not answer as expected' : `answers ${status}`;
    const reason = failureText(new Error(title), { secrets });
    const text = `The model provider ${problem}, and ${name} tries again. ${reason}`;
    listener.onNotice({ code: 'provider_retry', text });
  }
}

function statusIn(text: string): string | null {
  return /(?:status(?:[_ ]?code)?|api error|http)["': =]{0,4}([45]\d\d)\b/i.exec(text)?.[1] ?? null;
}
