/** One variable of the environment. */
export interface Variable<T> {
  readonly name: string;
  /** The default as text; null without a default. */
  readonly fallback: string | null;
  readonly meaning: string;
  readonly isSecret: boolean;
  /** Parses the text; null when the variable is absent. @throws ConfigError */
  readonly read: (text: string | null) => T;
}

interface Named {
  readonly name: string;
  readonly meaning: string;
}
type Description = readonly [name: string, fallback: string, meaning: string];

interface Range {
  readonly min: number;
  readonly max: number;
}

/** Any text, unchanged. */
export function text(...[name, fallback, meaning]: Description): Variable<string> {
  return { name, fallback, meaning, isSecret: false, read: (given) => given ?? fallback };
}

/** A text that `parse` accepts; otherwise the error names `mustBe`. */
export function parsed<T>(
  description: Description,
  mustBe: string,
  parse: (given: string) => T | undefined,
): Variable<T> {
  const [name, fallback, meaning] = description;
  const read = (written: string | null) => {
    const given = written ?? fallback;
    return accepted(parse(given), { name, mustBe, given });
  };
  return { name, fallback, meaning, isSecret: false, read };
}

/** A variable without a default that must be set. */
export function required<T>(
  named: Named,
  mustBe: string,
  parse: (given: string) => T | undefined,
): Variable<T> {
  const read = (given: string | null) => {
    if (given === null) throw new ConfigError(`${named.name} is not set. Set it to ${mustBe}`);
    return accepted(parse(given), { name: named.name, mustBe, given });
  };
  return { ...named, fallback: null, isSecret: false, read };
}

/** Null when the variable is not set. */
export function parsedIfGiven<T>(
  named: Named,
  mustBe: string,
  parse: (given: string) => T | undefined,
): Variable<T | null> {
  const read = (given: string | null) =>
    given === null ? null : accepted(parse(given), { name: named.name, mustBe, given });
  return { ...named, fallback: null, isSecret: false, read };
}

export function optional(name: string, meaning: string): Variable<string | null> {
  return { name, fallback: null, meaning, isSecret: false, read: (given) => given };
}

/** A variable whose value is always masked. */
export function secret(name: string, meaning: string): Variable<string | null> {
  return { ...optional(name, meaning), isSecret: true };
}

export function oneOf<const T extends string>(description: Description, values: readonly T[]): Variable<T> {
  return parsed(description, `one of ${values.join(', ')}`, (given) =>
    values.find((value) => value === given),
  );
}

export function flag(...description: Description): Variable<boolean> {
  const values: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };
  return parsed(description, 'true or false', (given) => values[given]);
}

/** Node.js timers fire at once when their delay is longer than 24.8 days. */
const longestHours = 576;

/** In milliseconds. */
export function duration(
  ...[name, fallback, meaning, minMs = 1]: [...description: Description, minMs?: number]
): Variable<number> {
  const least = minMs > 1 ? ` and at least ${minMs}ms` : minMs === 1 ? ' and longer than 0' : '';
  const mustBe = `a duration such as 500ms, 30s or 2m, at most ${longestHours}h${least}`;
  return parsed([name, fallback, meaning], mustBe, (given) => {
    const ms = parseDuration(given);
    return ms !== null && ms >= minMs && ms <= longestHours * 3_600_000 ? ms : undefined;
  });
}

export function integer(description: Description, range: Range): Variable<number> {
  return parsed(description, `a whole number from ${range.min} to ${range.max}`, (given) =>
    integerIn(given, range),
  );
}

/** The interface requires that an invalid value means the default. */
export function integerOrFallback(description: Description, range: Range): Variable<number> {
  const [name, fallback, meaning] = description;
  const read = (given: string | null) => integerIn(given ?? fallback, range) ?? Number(fallback);
  return { name, fallback, meaning, isSecret: false, read };
}

/** A fraction, clamped to its range. */
export function ratio(description: Description, range: Range): Variable<number> {
  return parsed(description, `a number, ${range.min} to ${range.max}`, (given) => {
    const value = Number(given);
    return Number.isFinite(value) ? Math.min(Math.max(value, range.min), range.max) : undefined;
  });
}

function integerIn(given: string, { min, max }: Range): number | undefined {
  const value = /^-?\d+$/.test(given) ? Number(given) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}

interface Given {
  readonly name: string;
  readonly mustBe: string;
  readonly given: string;
}

function accepted<T>(value: T | undefined, { name, mustBe, given }: Given): T {
  if (value === undefined) throw new ConfigError(`${name} must be ${mustBe}, not "${given}"`);
  return value;
}

/** The environment is invalid; the message names the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a duration such as `500ms`, `30s`, `1m30s`; null for anything else. */
export function parseDuration(text: string): number | null {
  if (text === '0') return 0;
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)) return null;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    total += Number(amount) * (unitMs[unit ?? ''] ?? 0);
  }
  return Math.round(total);
}
