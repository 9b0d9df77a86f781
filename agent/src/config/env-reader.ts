import { parseDuration } from './duration.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** One clear line about what is wrong with the environment. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Reads typed values; an empty variable counts as absent, as in a unit's EnvironmentFile. */
export class EnvReader {
  constructor(private readonly environment: Environment) {}

  optional(name: string): string | null {
    return this.environment[name]?.trim() || null;
  }

  required(name: string): string {
    const value = this.optional(name);
    if (value === null) throw new ConfigError(`${name} is not set`);
    return value;
  }

  oneOf<const T extends string>(name: string, values: readonly T[], fallback: T): T {
    const value = this.optional(name);
    if (value === null) return fallback;
    const found = values.find((candidate) => candidate === value);
    if (!found) throw new ConfigError(`${name} must be one of ${values.join(', ')}, not "${value}"`);
    return found;
  }

  durationMs(name: string, fallback: string): number {
    const text = this.optional(name) ?? fallback;
    const value = parseDuration(text);
    if (value === null)
      throw new ConfigError(`${name} must be a duration such as 500ms, 30s or 2m, not "${text}"`);
    return value;
  }

  integer(name: string, fallback: number, range: { readonly min: number; readonly max: number }): number {
    const text = this.optional(name);
    if (text === null) return fallback;
    const value = Number(text);
    if (Number.isInteger(value) && value >= range.min && value <= range.max) return value;
    throw new ConfigError(`${name} must be a whole number from ${range.min} to ${range.max}, not "${text}"`);
  }

  /** Ports with commas between them; none by default. */
  portList(name: string): readonly number[] {
    const text = this.optional(name);
    const ports = text === null ? [] : text.split(',').map((part) => Number(part.trim() || 'none'));
    if (ports.every((port) => Number.isInteger(port) && port >= 1 && port <= 65_535)) return ports;
    throw new ConfigError(`${name} must be ports such as 3000,8080, not "${text}"`);
  }

  /** For settings of which the interface says that a bad value falls back. */
  integerOrFallback(name: string, fallback: number, range: { readonly min: number; readonly max: number }) {
    const value = Number(this.optional(name) ?? fallback);
    return Number.isInteger(value) && value >= range.min && value <= range.max ? value : fallback;
  }

  /** A fraction, forced into its range. */
  ratio(name: string, fallback: number, range: { readonly min: number; readonly max: number }): number {
    const value = Number(this.optional(name) ?? fallback);
    if (!Number.isFinite(value)) throw new ConfigError(`${name} must be a number`);
    return Math.min(Math.max(value, range.min), range.max);
  }
}
