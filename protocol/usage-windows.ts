import * as z from 'zod/mini';

const usageStatuses = ['allowed', 'allowed_warning', 'rejected', 'unknown'] as const;
/** As it is stored. A report states a `ReportedWindow`. */
export const UsageWindow = z.strictObject({
  windowType: z.string().check(z.minLength(1), z.maxLength(64)),
  provider: z.string().check(z.minLength(1), z.maxLength(64)),
  source: z.string().check(z.minLength(1), z.maxLength(64)),
  status: z.enum(usageStatuses),
  utilizationPercent: z.optional(z.number().check(z.gte(0))),
  limitAmount: z.optional(z.number()),
  remainingAmount: z.optional(z.number()),
  windowMinutes: z.optional(z.number().check(z.gte(0))),
  /** ISO-8601. */
  resetsAt: z.optional(z.iso.datetime()),
  observedAt: z.iso.datetime(),
});
export type UsageWindow = z.infer<typeof UsageWindow>;

/** The providers whose limits are reported, and their windows. */
export const usageWindowTypes = {
  anthropic: [
    ...['claude.five_hour', 'claude.seven_day', 'claude.seven_day_opus', 'claude.seven_day_sonnet'],
    ...['anthropic.requests', 'anthropic.tokens', 'anthropic.input-tokens', 'anthropic.output-tokens'],
    ...['anthropic.priority-input-tokens', 'anthropic.priority-output-tokens'],
  ],
  openai: [
    ...['codex.primary', 'codex.secondary', 'openai.requests', 'openai.tokens', 'openai.project-tokens'],
  ],
  opencode: ['opencode.rolling', 'opencode.weekly', 'opencode.monthly'],
} as const;
export type UsageProvider = keyof typeof usageWindowTypes;
export const usageProviders = ['anthropic', 'openai', 'opencode'] as const satisfies UsageProvider[];

/** How far ahead a window may be reset; those of `opencode.monthly` have an exception. */
export const maxResetMs = 8 * 24 * 60 * 60_000;

const UsageSource = z
  .string()
  .check(
    z.regex(
      /^(ai-proxy(-anthropic|-passthrough)?\.[a-z_.-]{1,40}|claude-acp\.(rate_limit|usage_update)|vm-agent\.acp_usage_update)$/,
      'Must be a known source of usage figures',
    ),
  );

export const ReportedWindow = z
  .extend(UsageWindow, {
    windowType: z.enum(Object.values(usageWindowTypes).flat()),
    provider: z.enum(usageProviders),
    source: UsageSource,
    utilizationPercent: z.optional(z.number().check(z.gte(0), z.lte(1_000))),
    windowMinutes: z.optional(z.number().check(z.gte(0), z.lte(366 * 24 * 60))),
  })
  .check(
    z.refine(
      ({ provider, windowType }) => usageWindowTypes[provider].some((known: string) => known === windowType),
      { path: ['windowType'], message: 'Must be a window of the provider' },
    ),
  );
export type ReportedWindow = z.infer<typeof ReportedWindow>;
