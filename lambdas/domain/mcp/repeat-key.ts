import * as z from 'zod/mini';

/** An agent's own name for a call, so that a repeat of it does nothing new. */
export const RepeatKey = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/));
