import * as z from 'zod/mini';
import { maxResetMs, type ReportedWindow } from '../../../protocol/usage-windows.js';
import type { WorkspaceCommands } from '../files/workspace-commands.js';
import type { Workspace } from '../workspaces/workspace.js';

/** Of the file: Codex writes the limits after each request to the model. */
const tailBytes = 512 * 1_024;
/** Of the one line that is read. */
const maxLineBytes = 16 * 1_024;
const timeoutMs = 10_000;

/**
 * Finds the last line with limits of the plan in the record of a session. The other lines, which
 * are the conversation, stay in the workspace.
 */
const script = `
for file in "$HOME"/.codex/sessions/*/*/*/rollout-*"$1".jsonl; do
  [ -f "$file" ] && [ ! -L "$file" ] && last=$file
done
[ -n "$last" ] || exit 40
tail -c ${tailBytes} "$last" | grep '"token_count"' | grep '"rate_limits":{' | grep -v '"limit_id":"codex[^"]' | tail -n 1 | head -c ${maxLineBytes + 1}`;

/** The id of a session of Codex, safe in a pattern of the shell. */
const SessionId = z.string().check(z.regex(/^[0-9a-f-]{36}$/));

const Percent = z.number().check(z.gte(0), z.lte(1_000));
const Limit = z.object({
  used_percent: Percent,
  window_minutes: z.catch(z.optional(z.number().check(z.gte(0), z.lte(527_040))), undefined),
  /** Epoch seconds. Older versions state the seconds from the line on. */
  resets_at: z.catch(z.optional(z.number().check(z.gte(0), z.lte(1e11))), undefined),
  resets_in_seconds: z.catch(z.optional(z.number().check(z.gte(0), z.lte(1e8))), undefined),
});
type Limit = z.infer<typeof Limit>;

/** The fields that are read. */
const Line = z.object({
  timestamp: z.iso.datetime(),
  payload: z.object({
    type: z.literal('token_count'),
    rate_limits: z.object({
      /** Others are limits of single models, with windows of their own. */
      limit_id: z.optional(z.nullable(z.literal('codex'))),
      primary: z.catch(z.optional(z.nullable(Limit)), undefined),
      secondary: z.catch(z.optional(z.nullable(Limit)), undefined),
    }),
  }),
});

/** The limits of the plan that Codex noted last in this session; none when there are none. */
export async function readCodexLimits(
  commands: WorkspaceCommands,
  workspace: Workspace,
  acpSessionId: string,
): Promise<readonly ReportedWindow[]> {
  if (!SessionId.safeParse(acpSessionId).success) return [];
  const program = { argv: ['/bin/sh', '-c', script, 'sh', acpSessionId], timeoutMs };
  const { output, isTruncated } = await commands.collect(workspace, program, maxLineBytes);
  return isTruncated ? [] : codexLimitsIn(output.toString());
}

/** @param line of the record of a session */
export function codexLimitsIn(line: string): readonly ReportedWindow[] {
  const { data } = Line.safeParse(jsonOf(line));
  if (!data) return [];
  const { primary, secondary } = data.payload.rate_limits;
  const at = new Date(data.timestamp);
  return [
    ...(primary ? [windowOf('codex.primary', primary, at)] : []),
    ...(secondary ? [windowOf('codex.secondary', secondary, at)] : []),
  ];
}

function windowOf(windowType: ReportedWindow['windowType'], limit: Limit, at: Date): ReportedWindow {
  const { used_percent, window_minutes, resets_at, resets_in_seconds } = limit;
  const resetMs =
    resets_at === undefined ? at.getTime() + (resets_in_seconds ?? 0) * 1_000 : resets_at * 1_000;
  const isStated = resets_at !== undefined || resets_in_seconds !== undefined;
  // The control plane refuses a report with a later one; some plans have a monthly window.
  const hasReset = isStated && resetMs - at.getTime() < maxResetMs;
  return {
    ...{ windowType, provider: 'openai', source: 'vm-agent.acp_usage_update' },
    status: used_percent >= 100 ? 'rejected' : 'allowed',
    utilizationPercent: used_percent,
    ...(window_minutes === undefined ? {} : { windowMinutes: window_minutes }),
    ...(hasReset ? { resetsAt: new Date(resetMs).toISOString() } : {}),
    observedAt: at.toISOString(),
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
