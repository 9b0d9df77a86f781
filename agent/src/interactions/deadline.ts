import type { InteractionKind, InteractionSettings } from '../../../protocol/interactions.js';

const minuteMs = 60_000;

/** Where a session has no settings, as for one that only viewers answer. */
const defaults = { conversationMs: 120 * minuteMs, taskMs: 30 * minuteMs, marginMs: minuteMs } as const;

interface AskedAt {
  readonly kind: InteractionKind;
  readonly now: number;
  /** The hard deadline of the prompt, if it has one. */
  readonly promptEndsAt: number | null;
  readonly isTask: boolean;
  readonly settings: InteractionSettings | null;
}

/** Until when a request waits for its answer. */
export function deadlineOf({ kind, now, promptEndsAt, isTask, settings }: AskedAt): number {
  const marginMs = settings?.deadlineMarginMs ?? defaults.marginMs;
  const own = settings ? ofSettings(settings, kind) : isTask ? defaults.taskMs : defaults.conversationMs;
  return Math.min(now + own, (promptEndsAt ?? Number.POSITIVE_INFINITY) - marginMs);
}

function ofSettings(settings: InteractionSettings, kind: InteractionKind): number {
  const { permissionDeadlineMs, formDeadlineMs, urlDeadlineMs, maxDeadlineMs } = settings;
  const byKind = { permission: permissionDeadlineMs, form: formDeadlineMs, url: urlDeadlineMs };
  return Math.min(byKind[kind], maxDeadlineMs);
}
