import * as z from 'zod/mini';
import type { AgentKey } from '../../../protocol/agent-callbacks.js';
import type { ReportedWindow } from '../../../protocol/usage-windows.js';
import type { WorkspaceCommands } from '../files/workspace-commands.js';
import { sendRequest } from '../shared/http-request.js';
import type { Log } from '../shared/log.js';
import { readCodexLimits } from './codex-limits.js';
import type { HarnessRequest, HarnessSettings } from './harness.js';
import type { UsageReports } from './usage-reports.js';

interface UsageOptions {
  /** Null disables the request to the provider. */
  readonly address: string | null;
  readonly timeoutMs: number;
}

interface UsageDeps {
  readonly reports: UsageReports;
  readonly commands: WorkspaceCommands;
  readonly log: Log;
}

interface Turn {
  readonly request: HarnessRequest;
  readonly settings: HarnessSettings;
  readonly key: AgentKey | null;
  readonly acpSessionId: string;
  readonly isCompleted: boolean;
}

/**
 * Reads the remaining allowance of a provider subscription after each turn of the kinds that do not
 * state it by themselves. API keys have none. One probe a session at a time; the next turn covers a
 * skipped one.
 */
export class UsageProbes {
  private readonly inFlight = new Set<string>();

  constructor(
    private readonly options: UsageOptions,
    private readonly deps: UsageDeps,
  ) {}

  /** Runs in the background. Failures do not affect the session. */
  afterTurn(turn: Turn): void {
    const { workspace, sessionId } = turn.request;
    const session = `${workspace.workspaceId}/${sessionId}`;
    if (!turn.request.projectId || this.inFlight.has(session)) return;
    this.inFlight.add(session);
    this.probe(turn)
      .then((windows) => this.deps.reports.add(turn.request, windows))
      .catch((error: unknown) =>
        this.deps.log.debug('Could not read the usage of the provider', { sessionId, error }),
      )
      .finally(() => this.inFlight.delete(session));
  }

  private async probe(turn: Turn): Promise<readonly ReportedWindow[]> {
    const { request, key } = turn;
    // Without a stored credential there is nothing that the figures belong to.
    if (key === null) return [];
    // A turn that fails may have found the limit.
    if (request.agentType === 'openai-codex')
      return readCodexLimits(this.deps.commands, request.workspace, turn.acpSessionId);
    return turn.isCompleted ? this.probeProvider(turn, key) : [];
  }

  private async probeProvider({ request, settings }: Turn, key: AgentKey): Promise<ReportedWindow[]> {
    const { address, timeoutMs } = this.options;
    if (!address || !isMetered(request.agentType, settings) || !hasOwnKey(key)) return [];
    return probeUsage({ address, key: key.apiKey, timeoutMs, now: () => new Date() });
  }
}

function isMetered(agentType: string, { opencodeProvider }: HarnessSettings): boolean {
  return agentType === 'opencode' && opencodeProvider === 'opencode-go';
}

/** A proxied key has no allowance of the person. */
function hasOwnKey(key: AgentKey): boolean {
  return key.credentialKind === 'api-key' && !key.inferenceConfig;
}

const maxBytes = 64 * 1_024;

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
export async function probeUsage({ address, key, timeoutMs, now }: UsageQuestion): Promise<ReportedWindow[]> {
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

function usageWindow(name: (typeof windowNames)[number], window: Window, observedAt: Date): ReportedWindow {
  const { used, limit, remaining } = window;
  const percent = window.usagePercent ?? window.percent ?? percentOf(used, limit);
  const resetsAt = resetOf(window, observedAt);
  return {
    windowType: `opencode.${name}`,
    provider: 'opencode',
    source: 'vm-agent.acp_usage_update',
    status: statusOf(window.status, percent),
    ...(percent === undefined ? {} : { utilizationPercent: Math.min(1_000, Math.max(0, percent)) }),
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

function statusOf(status: string | undefined, percent: number | undefined): ReportedWindow['status'] {
  if (status === 'rate-limited' || status === 'rejected') return 'rejected';
  if (percent === undefined) return 'unknown';
  if (percent >= 100) return 'rejected';
  return percent >= 80 ? 'allowed_warning' : 'allowed';
}
