import * as z from 'zod/mini';

export const severities = ['debug', 'info', 'notice', 'warning', 'error', 'critical'] as const;

const maxNameBytes = 160;
const maxKeyBytes = 512;
const maxMetadataBytes = 8_192;
const maxDisplayBytes = 4_096;
const maxPayloadRefBytes = 512;
const maxDepth = 4;
const maxKeys = 64;
const maxItems = 64;
const maxLabels = 12;

const text = (maxBytes: number) =>
  z.string().check(
    z.minLength(1),
    z.refine((value: string) => Buffer.byteLength(value) <= maxBytes, `Can have at most ${maxBytes} bytes`),
  );

const maxJson = <T>(maxBytes: number) =>
  z.refine<T>(
    (value) => Buffer.byteLength(JSON.stringify(value)) <= maxBytes,
    `Can have at most ${maxBytes} bytes as JSON`,
  );

/** Source, type or part of the subject of an event, and a value of a filter. */
export const EventName = text(maxNameBytes);

/** Fields of the producer. They are data, and no instructions to the reader. */
export const Metadata = z
  .record(z.string(), z.json())
  .check(
    z.refine(
      isFlatEnough,
      `Can have at most ${maxDepth} levels, ${maxKeys} keys in an object and ${maxItems} items in an array`,
    ),
    maxJson(maxMetadataBytes),
  );

export const Display = z
  .strictObject({
    title: z.optional(z.string()),
    summary: z.optional(z.string()),
    url: z.optional(z.url({ protocol: /^https?$/ })),
    labels: z.optional(z.array(z.string()).check(z.maxLength(maxLabels))),
  })
  .check(maxJson(maxDisplayBytes));

export const PayloadRef = z
  .strictObject({
    provider: z.optional(z.string()),
    uri: z.string().check(z.minLength(1)),
    contentHash: z.optional(z.string()),
  })
  .check(maxJson(maxPayloadRefBytes));

/** An event as its producer makes it. */
export const EventContent = z.strictObject({
  source: EventName,
  eventType: EventName,
  subject: z.strictObject({ type: EventName, id: EventName }),
  severity: z.enum(severities),
  /** Of the producer, for one event in (project, source): a repeat has the same. */
  deliveryKey: text(maxKeyBytes),
  metadata: z._default(Metadata, {}),
  display: z._default(Display, {}),
  rawPayloadRef: z._default(z.nullable(PayloadRef), null),
  occurredAt: z.iso.datetime(),
  /** Replaces the digest of the content when the store adds fields that differ in a repeat. */
  payloadFingerprint: z.optional(text(maxNameBytes)),
});
export type EventContent = z.infer<typeof EventContent>;

function isFlatEnough(value: unknown, depth = 1): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const parts = Object.values(value);
  if (depth > maxDepth || parts.length > (Array.isArray(value) ? maxItems : maxKeys)) return false;
  return parts.every((part) => isFlatEnough(part, depth + 1));
}
