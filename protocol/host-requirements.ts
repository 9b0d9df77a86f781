import * as z from 'zod/mini';

const units = { kb: 2 ** 10, mb: 2 ** 20, gb: 2 ** 30, tb: 2 ** 40 } as const;
const shownLength = 100;

const Size = z.string().check(z.regex(/^\d{1,15}(?:[kmgt]b)?$/i, 'is not a size such as "8gb"'));
const Processors = z
  .int('is not a whole number')
  .check(z.minimum(1, 'is less than 1'), z.maximum(1_000_000, 'is too large'));

/** What a dev container states that it needs. Null: not stated, or not valid. */
export interface HostRequirements {
  readonly cpus: number | null;
  readonly memoryBytes: number | null;
  readonly storageBytes: number | null;
}

/** `hostRequirements` of a devcontainer.json, and notes about values that are not valid. */
export function readHostRequirements(value: unknown): {
  readonly requirements: HostRequirements;
  readonly notes: readonly string[];
} {
  const notes: string[] = [];
  const { cpus, memory, storage } = membersOf(value, notes);
  const requirements = {
    cpus: checked(Processors, ['cpus', cpus], notes),
    memoryBytes: bytesOf(checked(Size, ['memory', memory], notes)),
    storageBytes: bytesOf(checked(Size, ['storage', storage], notes)),
  };
  return { requirements, notes };
}

function membersOf(value: unknown, notes: string[]): Readonly<Record<string, unknown>> {
  if (value === undefined) return {};
  const parsed = z.looseObject({}).safeParse(value);
  if (parsed.success) return parsed.data;
  notes.push('hostRequirements ignored: it must be an object');
  return {};
}

/** Null: absent, or not valid. */
function checked<Value>(
  schema: z.ZodMiniType<Value>,
  [name, value]: readonly [name: string, value: unknown],
  notes: string[],
): Value | null {
  if (value === undefined) return null;
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  const shown = JSON.stringify(value).slice(0, shownLength);
  notes.push(`hostRequirements.${name} ignored: ${shown} ${parsed.error.issues[0]?.message}`);
  return null;
}

function bytesOf(size: string | null): number | null {
  if (size === null) return null;
  const unit = Object.entries(units).find(([name]) => size.toLowerCase().endsWith(name));
  return Number.parseInt(size, 10) * (unit?.[1] ?? 1);
}
