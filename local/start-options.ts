import { parseArgs } from 'node:util';
import { LaptopError } from './laptop-error.js';

export interface StartOptions {
  readonly watch: boolean;
  /** A scripted agent in the place of OpenCode, which needs no key. */
  readonly demoAgent: boolean;
  /** `agent`, or a handler by its path: `http/workspaces/create`. */
  readonly debug: readonly string[];
}

/** What follows `npm start --`. @throws {LaptopError} on anything else */
export function startOptions(args: readonly string[]): StartOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        watch: { type: 'boolean' },
        'demo-agent': { type: 'boolean' },
        debug: { type: 'string', multiple: true },
      },
    });
    return {
      watch: values.watch ?? false,
      demoAgent: values['demo-agent'] ?? false,
      debug: (values.debug ?? []).map((name) => name.replace(/^lambdas\//, '').replace(/\.ts$/, '')),
    };
  } catch (error) {
    throw new LaptopError(
      `${error instanceof Error ? error.message : error}\nUsage: npm start [-- [--watch] [--demo-agent] [--debug agent] [--debug http/workspaces/create]]`,
    );
  }
}
