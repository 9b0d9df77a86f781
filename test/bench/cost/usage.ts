import * as z from 'zod/mini';

/** A line of local/emulator/usage.py. */
export const UsageLine = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('table'),
    action: z.string(),
    read: z.number(),
    write: z.number(),
    /** That were written, by one call. */
    items: z.int(),
  }),
  z.object({ kind: z.literal('request'), service: z.string(), action: z.string() }),
  z.object({
    kind: z.literal('function'),
    name: z.string(),
    trigger: z.string(),
    ms: z.number(),
    mb: z.number(),
    answered: z.number(),
    logged: z.number(),
    /** Lambda itself logs each invocation. */
    reported: z.boolean(),
  }),
  z.object({ kind: z.literal('state'), name: z.string() }),
  z.object({ kind: z.literal('frame'), bytes: z.int() }),
]);
export type UsageLine = z.infer<typeof UsageLine>;

export const parseUsage = (text: string): readonly UsageLine[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => UsageLine.parse(JSON.parse(line)));
