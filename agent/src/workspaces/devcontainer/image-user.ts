import * as z from 'zod/mini';

/** Label of images that dev container tools build. */
const metadataLabel = 'devcontainer.metadata';
const User = z.optional(z.string().check(z.regex(/^[A-Za-z0-9_][\w.-]{0,63}$/)));
const Entry = z.looseObject({ remoteUser: User, containerUser: User });
const Metadata = z.union([z.array(Entry), Entry]);

/**
 * The user that the metadata of an image names for shells and programs; null: the user of the
 * image. Later entries come first.
 */
export function imageUser(labels: Readonly<Record<string, string>> | null | undefined): string | null {
  const metadata = Metadata.safeParse(json(labels?.[metadataLabel]));
  if (!metadata.success) return null;
  const entries = [metadata.data].flat();
  const last = (key: 'remoteUser' | 'containerUser') =>
    entries.findLast((entry) => entry[key] !== undefined)?.[key];
  return last('remoteUser') ?? last('containerUser') ?? null;
}

function json(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}
