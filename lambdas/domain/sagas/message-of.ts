import * as z from 'zod/mini';

const LambdaError = z.object({ errorMessage: z.string() });

/** What an error said, of the cause by which a state machine tells of it: text, or the JSON of a Lambda error. */
export function messageOf(cause: string): string {
  try {
    const parsed = LambdaError.safeParse(JSON.parse(cause));
    return parsed.success ? parsed.data.errorMessage : cause;
  } catch {
    return cause;
  }
}
