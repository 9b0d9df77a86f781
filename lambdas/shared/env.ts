import * as z from 'zod/mini';

/** Parses the variables a function needs, once, at load: a missing one fails the start, not a request. */
export function readEnv<const Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.infer<z.ZodMiniObject<Shape>> {
  return z.object(shape).parse(process.env);
}
