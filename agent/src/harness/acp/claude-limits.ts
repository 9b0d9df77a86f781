import * as z from 'zod/mini';
import { type ReportedWindow, usageWindowTypes } from '../../../../protocol/usage-windows.js';

/** Beside the messages of background work: the limits of a Claude subscription. */
export const claudeLimitsFilter = { type: 'rate_limit_event' } as const;

/** An event is a few hundred bytes. */
const maxBytes = 8_192;

const Status = z.enum(['allowed', 'allowed_warning', 'rejected']);
/** A share of the window, from 0 to 1. */
const Share = z.number().check(z.gte(0), z.lte(10));
/** Epoch seconds. */
const Reset = z.number().check(z.gte(0), z.lte(1e11));
const Window = z.object({
  utilization: Share,
  resetsAt: Reset,
  status: z.catch(z.optional(Status), undefined),
});

/** The fields that are read. All others are dropped: they describe the account of the person. */
const Message = z.object({
  message: z.object({
    type: z.literal('rate_limit_event'),
    rate_limit_info: z.object({
      status: Status,
      rateLimitType: z.catch(z.optional(z.string().check(z.maxLength(40))), undefined),
      utilization: z.catch(z.optional(Share), undefined),
      resetsAt: z.catch(z.optional(Reset), undefined),
      unifiedWindows: z.catch(z.optional(z.record(z.string(), z.optional(Window))), undefined),
    }),
  }),
});
type Info = z.infer<typeof Message>['message']['rate_limit_info'];

const minutesOf: Readonly<Record<string, number>> = { five_hour: 300 };
const sevenDays = 10_080;

/** The windows in a notification of Claude Code; none in any other. */
export function claudeLimitsIn(params: unknown, now: Date): readonly ReportedWindow[] {
  if (Buffer.byteLength(JSON.stringify(params) ?? '') > maxBytes) return [];
  const { data } = Message.safeParse(params);
  if (!data) return [];
  const { unifiedWindows = {}, rateLimitType, ...main } = data.message.rate_limit_info;
  // The main one is the newest of its type.
  const windows: Record<string, Figures | undefined> = { ...unifiedWindows };
  if (rateLimitType !== undefined) windows[rateLimitType] = { ...windows[rateLimitType], ...main };
  return Object.entries(windows).flatMap(([name, figures]) => {
    const windowType = usageWindowTypes.anthropic.find((known) => known === `claude.${name}`);
    return windowType && figures ? [windowOf(windowType, figures, now)] : [];
  });
}

type Figures = { readonly [Name in 'status' | 'utilization' | 'resetsAt']?: Info[Name] | undefined };

function windowOf(
  windowType: ReportedWindow['windowType'],
  { status, utilization, resetsAt }: Figures,
  now: Date,
): ReportedWindow {
  return {
    ...{ windowType, provider: 'anthropic', source: 'claude-acp.rate_limit', status: status ?? 'unknown' },
    ...(utilization === undefined ? {} : { utilizationPercent: Math.round(utilization * 10_000) / 100 }),
    windowMinutes: minutesOf[windowType.slice('claude.'.length)] ?? sevenDays,
    ...(resetsAt === undefined ? {} : { resetsAt: new Date(resetsAt * 1_000).toISOString() }),
    observedAt: now.toISOString(),
  };
}
