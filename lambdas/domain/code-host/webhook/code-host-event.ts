import * as z from 'zod/mini';
import { InvalidRequest } from '../../../shared/errors.js';

/** One delivery of the code host, in the terms of project events. */
export interface CodeHostEvent {
  /** The code host's own id of the repository. */
  readonly repositoryId: string;
  /** `<event>.<action>`, or `push`. */
  readonly eventType: string;
  readonly subject: Subject;
  readonly severity: 'info' | 'notice' | 'error';
  /** Ids, names and states: small, and the same in each repeat of the delivery. */
  readonly metadata: Readonly<Record<string, string | number>>;
  /** Untrusted text of people, never instructions. */
  readonly display: { readonly title: string; readonly url?: string };
  /** Epoch milliseconds, as the code host says; null where it says nothing. */
  readonly occurredAt: number | null;
}

export interface Subject {
  readonly type: 'pull_request' | 'commit' | 'issue' | 'branch' | 'tag';
  readonly id: string;
}

/** The fields of one kind of event. */
export interface Described extends Pick<CodeHostEvent, 'subject' | 'severity'> {
  readonly title: string;
  readonly url?: string | null | undefined;
  readonly at?: string | number | null | undefined;
  readonly metadata: Readonly<Record<string, string | number | null | undefined>>;
}

export const Common = z.object({
  action: z.optional(z.string().check(z.regex(/^[a-z_]{1,60}$/))),
  repository: z.object({ id: z.int().check(z.gte(1)), full_name: z.string() }),
  sender: z.optional(z.object({ login: z.string() })),
});

/** 40 or 64 characters: SHA-1 or SHA-256 of a commit. */
export const Sha = z.string().check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/));
export const Text = z.optional(z.nullable(z.string()));

/** @throws {InvalidRequest} naming the fields */
export function parsePayload<Schema extends z.ZodMiniType>(
  schema: Schema,
  payload: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return parsed.data;
  throw new InvalidRequest(
    'The payload of this event is not as the code host documents it',
    parsed.error.issues.map(({ path, message }) => ({ field: ['body', ...path].join('.'), message })),
  );
}

/** The event, with what all kinds have in common. */
export function describedEvent(
  name: string,
  { action, repository, sender }: z.output<typeof Common>,
  described: Described,
): CodeHostEvent {
  const { subject, severity, title, url, at } = described;
  const metadata = {
    action,
    ...described.metadata,
    actor: sender?.login,
    repository: repository.full_name,
  };
  return {
    repositoryId: String(repository.id),
    eventType: action === undefined ? name : `${name}.${action}`,
    subject: { ...subject, id: shortId(subject.id) },
    severity,
    metadata: Object.fromEntries(Object.entries(metadata).flatMap(clipped)),
    display: { title: clip(title, longestTitle), ...(isWebAddress(url) ? { url } : {}) },
    occurredAt: timeOf(at),
  };
}

const longestText = 200;
const longestTitle = 300;
const longestId = 160;

function clipped([name, value]: readonly [string, string | number | null | undefined]) {
  if (value === null || value === undefined) return [];
  return [[name, typeof value === 'string' ? clip(value, longestText) : value] as const];
}

/** The first bytes of a text, without half a character, control characters and line breaks. */
export function clip(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text.replaceAll(/\p{Cc}+/gu, ' ').trim());
  if (bytes.length <= maxBytes) return bytes.toString();
  return bytes
    .subarray(0, maxBytes)
    .toString()
    .replace(/\uFFFD+$/, '');
}

/** Of a long name the first bytes: who subscribes to it writes the same. */
const shortId = (id: string): string => clip(id, longestId);

/** An invalid or too long address is left out: a part of one leads elsewhere. */
const isWebAddress = (url: string | null | undefined): url is string =>
  typeof url === 'string' && url.length <= 500 && /^https?:\/\/[!-~]+$/.test(url) && URL.canParse(url);

/** The year 2100: a later time is an error, and an even later one no date. */
const latest = 4_102_444_800_000;

/** The code host writes a time as text, and that of a push in seconds. */
function timeOf(at: Described['at']): number | null {
  const time = typeof at === 'number' ? at * 1_000 : Date.parse(at ?? '');
  return time >= 0 && time < latest ? time : null;
}
