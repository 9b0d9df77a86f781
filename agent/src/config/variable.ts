import { parseDuration } from './duration.js';

/** One variable of the environment: all there is to know of it, for the reader and for people. */
export interface Variable<T> {
  readonly name: string;
  /** As it would be written; null: there is none. */
  readonly fallback: string | null;
  readonly meaning: string;
  readonly isSecret: boolean;
  /** What the text means; null where the variable is absent and there is no default. @throws ConfigError */
  readonly read: (text: string | null) => T;
}

interface Named {
  readonly name: string;
  readonly meaning: string;
}
type Says = readonly [name: string, fallback: string, meaning: string];

interface Range {
  readonly min: number;
  readonly max: number;
}

/** Any text, as it is. */
export function text(...[name, fallback, meaning]: Says): Variable<string> {
  return { name, fallback, meaning, isSecret: false, read: (given) => given ?? fallback };
}

/** A text that `parse` understands, or fails with what it must be. */
export function parsed<T>(says: Says, mustBe: string, parse: (given: string) => T | undefined): Variable<T> {
  const [name, fallback, meaning] = says;
  const read = (written: string | null) => {
    const given = written ?? fallback;
    return understood(parse(given), { name, mustBe, given });
  };
  return { name, fallback, meaning, isSecret: false, read };
}

/** What the agent cannot be without. */
export function required<T>(
  named: Named,
  mustBe: string,
  parse: (given: string) => T | undefined,
): Variable<T> {
  const read = (given: string | null) => {
    if (given === null) throw new ConfigError(`${named.name} is not set`);
    return understood(parse(given), { name: named.name, mustBe, given });
  };
  return { ...named, fallback: null, isSecret: false, read };
}

/** Null where it is not given. */
export function parsedIfGiven<T>(
  named: Named,
  mustBe: string,
  parse: (given: string) => T | undefined,
): Variable<T | null> {
  const read = (given: string | null) =>
    given === null ? null : understood(parse(given), { name: named.name, mustBe, given });
  return { ...named, fallback: null, isSecret: false, read };
}

export function optional(name: string, meaning: string): Variable<string | null> {
  return { name, fallback: null, meaning, isSecret: false, read: (given) => given };
}

/** Never shown. */
export function secret(name: string, meaning: string): Variable<string | null> {
  return { ...optional(name, meaning), isSecret: true };
}

export function oneOf<const T extends string>(says: Says, values: readonly T[]): Variable<T> {
  return parsed(says, `one of ${values.join(', ')}`, (given) => values.find((value) => value === given));
}

export function flag(...says: Says): Variable<boolean> {
  const values: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };
  return parsed(says, 'true or false', (given) => values[given]);
}

/** A longer wait would make a timer go off at once. */
const longestHours = 576;

/** Milliseconds; longer than nothing, unless `minMs` says otherwise. */
// biome-ignore lint/complexity/useMaxParams: four plain values that share no name
export function duration(name: string, fallback: string, meaning: string, minMs = 1): Variable<number> {
  const least = minMs > 1 ? ` and at least ${minMs}ms` : minMs === 1 ? ' and longer than 0' : '';
  const mustBe = `a duration such as 500ms, 30s or 2m, at most ${longestHours}h${least}`;
  return parsed([name, fallback, meaning], mustBe, (given) => {
    const ms = parseDuration(given);
    return ms !== null && ms >= minMs && ms <= longestHours * 3_600_000 ? ms : undefined;
  });
}

export function integer(says: Says, range: Range): Variable<number> {
  return parsed(says, `a whole number from ${range.min} to ${range.max}`, (given) => integerIn(given, range));
}

/** For settings of which the interface says that a bad value falls back. */
export function integerOrFallback(says: Says, range: Range): Variable<number> {
  const [name, fallback, meaning] = says;
  const read = (given: string | null) => integerIn(given ?? fallback, range) ?? Number(fallback);
  return { name, fallback, meaning, isSecret: false, read };
}

/** A fraction, forced into its range. */
export function ratio(says: Says, range: Range): Variable<number> {
  return parsed(says, `a number, ${range.min} to ${range.max}`, (given) => {
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

function understood<T>(value: T | undefined, { name, mustBe, given }: Given): T {
  if (value === undefined) throw new ConfigError(`${name} must be ${mustBe}, not "${given}"`);
  return value;
}

/** One clear line about what is wrong with the environment. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
