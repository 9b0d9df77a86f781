import { parseArgs } from 'node:util';

export interface SteadyOptions {
  readonly runs: number;
  /** Each run is ended, and is red, after this time. */
  readonly minutes: number;
  /** A pattern of test files. */
  readonly only: string | undefined;
}

/** @throws {RangeError} when a number is not a positive integer */
export function steadyOptions(args: readonly string[]): SteadyOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      runs: { type: 'string', default: '5' },
      minutes: { type: 'string', default: '60' },
      only: { type: 'string' },
    },
  });
  return {
    runs: positive('runs', values.runs),
    minutes: positive('minutes', values.minutes),
    only: values.only,
  };
}

function positive(name: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text))
    throw new RangeError(`--${name} is "${text}"; it must be a positive integer.`);
  return Number(text);
}
