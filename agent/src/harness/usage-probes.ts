import * as z from 'zod/mini';
import type { AgentKey, UsageWindow } from '../../../protocol/agent-callbacks.js';
import { sendRequest } from '../shared/http-request.js';
import type { Log } from '../shared/log.js';
import type { HarnessRequest, HarnessSettings } from './harness.js';
import type { HarnessCallbacks } from './harness-callbacks.js';

interface UsageOptions {
  readonly nodeId: string;
  /** Null disables the probe. */
  readonly address: string | null;
  readonly timeoutMs: number;
}

interface Turn {
  readonly request: HarnessRequest;
  readonly settings: HarnessSettings;
  readonly key: AgentKey | null;
}

/**
 * Reports the remaining allowance of a provider subscription after each completed turn. API keys
 * have none. One probe a session at a time; the next turn covers a skipped one.
 */
export class UsageProbes {
  private readonly inFlight = new Set<string>();

  constructor(
    private readonly options: UsageOptions,
    private readonly callbacks: HarnessCallbacks,
    private readonly log: Log,
  ) {}

  /** Runs in the background. Failures do not affect the session. */
  afterTurn(turn: Turn): void {
    const { workspace, sessionId } = turn.request;
    const session = `${workspace.workspaceId}/${sessionId}`;
    if (this.inFlight.has(session)) return;
    this.inFlight.add(session);
    this.probe(turn)
      .catch((error: unknown) =>
        this.log.debug('Could not read the usage of the provider', { sessionId, error }),
      )
      .finally(() => this.inFlight.delete(session));
  }

  private async probe({ request, settings, key }: Turn): Promise<void> {
    const { address, timeoutMs, nodeId } = this.options;
    const { workspace, sessionId, projectId, agentType } = request;
    if (!address || !projectId || !isMetered(agentType, settings) || !hasOwnKey(key)) return;
    const now = () => new Date();
    const rateLimits = await probeUsage({ address, key: key.apiKey, timeoutMs, now });
    if (rateLimits.length === 0) return;
    await this.callbacks.usage(
      workspace,
      { projectId, sessionId },
      {
        nodeId,
        workspaceId: workspace.workspaceId,
        agentType,
        source: 'provider-usage',
        observedAt: now().toISOString(),
        rateLimits,
      },
    );
  }
}

function isMetered(agentType: string, { opencodeProvider }: HarnessSettings): boolean {
  return agentType === 'opencode' && opencodeProvider === 'opencode-go';
}

/** A proxied key has no allowance of the person. */
function hasOwnKey(key: AgentKey | null): key is AgentKey {
  return key !== null && key.credentialKind === 'api-key' && !key.inferenceConfig;
}

const maxBytes = 64 * 1_024;
const provider = 'opencode-go';

/** One usage window in the answer of the provider. */
const Window = z.looseObject({
  used: z.optional(z.number()),
  limit: z.optional(z.number()),
  remaining: z.optional(z.number()),
  usagePercent: z.optional(z.number()),
  percent: z.optional(z.number()),
  status: z.optional(z.string()),
  resetsAt: z.optional(z.iso.datetime({ offset: true })),
  resetInSec: z.optional(z.number()),
});
type Window = z.infer<typeof Window>;
const windowNames = ['rolling', 'weekly', 'monthly'] as const;
const Windows = z.looseObject({
  rolling: z.optional(z.nullable(Window)),
  weekly: z.optional(z.nullable(Window)),
  monthly: z.optional(z.nullable(Window)),
});
const Answer = z.union([z.looseObject({ usage: Windows }), Windows]);

interface UsageQuestion {
  readonly address: string;
  readonly key: string;
  readonly timeoutMs: number;
  readonly now: () => Date;
}

/**
 * Asks the provider how much of the allowance is used. Follows no redirects, so that only this
 * address gets the key. Ignores invalid answers.
 */
export async function probeUsage({ address, key, timeoutMs, now }: UsageQuestion): Promise<UsageWindow[]> {
  const { isOk, text } = await sendRequest({
    url: address,
    headers: { authorization: `Bearer ${key}`, accept: 'application/json' },
    maxBytes,
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!isOk) return [];
  const parsed = Answer.safeParse(JSON.parse(text()));
  if (!parsed.success) return [];
  const windows = 'usage' in parsed.data ? Windows.parse(parsed.data.usage) : Windows.parse(parsed.data);
  const observedAt = now();
  return windowNames.flatMap((name) => {
    const window = windows[name];
    return window ? [usageWindow(name, window, observedAt)] : [];
  });
}

function usageWindow(name: string, window: Window, observedAt: Date): UsageWindow {
  const { used, limit, remaining } = window;
  const percent = window.usagePercent ?? window.percent ?? percentOf(used, limit);
  const resetsAt = resetOf(window, observedAt);
  return {
    windowType: `go.${name}`,
    provider,
    source: 'provider-usage',
    status: statusOf(window.status, percent),
    ...(percent === undefined ? {} : { utilizationPercent: Math.max(0, percent) }),
    ...(limit === undefined ? {} : { limitAmount: limit }),
    ...(remaining === undefined ? {} : { remainingAmount: remaining }),
    ...(resetsAt === undefined ? {} : { resetsAt }),
    observedAt: observedAt.toISOString(),
  };
}

function percentOf(used: number | undefined, limit: number | undefined): number | undefined {
  return used === undefined || !limit ? undefined : (used / limit) * 100;
}

function resetOf({ resetsAt, resetInSec }: Window, observedAt: Date): string | undefined {
  if (resetsAt !== undefined) return new Date(resetsAt).toISOString();
  if (resetInSec === undefined) return undefined;
  return new Date(observedAt.getTime() + resetInSec * 1_000).toISOString();
}

function statusOf(status: string | undefined, percent: number | undefined): UsageWindow['status'] {
  if (status === 'rate-limited' || status === 'rejected') return 'rejected';
  if (percent === undefined) return 'unknown';
  if (percent >= 100) return 'rejected';
  return percent >= 80 ? 'allowed_warning' : 'allowed';
}
