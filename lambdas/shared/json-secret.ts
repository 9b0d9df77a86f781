import type * as z from 'zod/mini';

/**
 * A secret that an operator writes as JSON.
 *
 * @throws {Error} it has another form. The error of the parser would quote the secret, and errors
 * are logged.
 */
export function parseJsonSecret<Schema extends z.ZodMiniType>(
  schema: Schema,
  name: string,
  text: string | undefined,
): z.output<Schema> {
  const secret = schema.safeParse(readJson(text ?? ''));
  if (secret.success) return secret.data;
  const fields = secret.error.issues.map(({ path }) => path.join('.')).filter(Boolean);
  throw new Error(
    `${name} is not the JSON object that deploying.md describes: ${fields.join(', ') || 'no object'}`,
  );
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
