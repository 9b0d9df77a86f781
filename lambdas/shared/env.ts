import * as z from 'zod/mini';

/** Parses the variables of a function at load: a missing variable fails the start. */
export function readEnv<const Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.infer<z.ZodMiniObject<Shape>> {
  return z.object(shape).parse(process.env);
}
