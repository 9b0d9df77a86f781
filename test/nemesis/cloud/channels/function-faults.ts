import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EmulatorAccess } from '../../../../local/access/keys.js';
import { Functions } from '../../../../local/deployment/functions.js';

/** The effects of a fault on a table write of a function. */
export const writeFaults = ['before', 'after', 'lost_answer', 'conflict', 'throttle'] as const;
export type WriteFault = (typeof writeFaults)[number];

/** The functions through which publications, matches and wakes go. */
export const breakableFunctions = [
  'http/mcp/call',
  'streams/live',
  'sweeps/resend-wake-ups',
  'queues/deliver-prompts',
] as const;
type Breakable = (typeof breakableFunctions)[number];

const preload = new URL('dying-function.mjs', import.meta.url).href;

/** Faults at table writes of deployed functions, which load dying-function.mjs. */
export class FunctionFaults {
  private count = 0;

  private constructor(private readonly folder: string) {}

  static async install(access: EmulatorAccess, folder: string): Promise<FunctionFaults> {
    for (const part of ['orders', 'taken', 'done']) mkdirSync(join(folder, part), { recursive: true });
    const functions = new Functions(access);
    for (const name of breakableFunctions) {
      const { Timeout, Environment } = await functions.configuration(name);
      const NODE_OPTIONS = `${Environment.Variables.NODE_OPTIONS ?? ''} --import=${preload}`.trim();
      const Variables = { ...Environment.Variables, NODE_OPTIONS, NEMESIS_FOLDER: folder };
      await functions.configure(name, { Timeout, Environment: { Variables } });
    }
    return new FunctionFaults(folder);
  }

  /** Happens at a table write of the function, after so many others of the same process. */
  order(name: Breakable, fault: WriteFault, passes: number): void {
    this.count += 1;
    const file = `${name.replaceAll('/', '.')} ${passes} ${fault} ${this.count}`;
    writeFileSync(join(this.folder, 'orders', file), '');
  }

  /** The faults that have happened. */
  happened(): readonly WriteFault[] {
    const effects = readdirSync(join(this.folder, 'done')).map((file) => file.split(' ')[2]);
    return writeFaults.flatMap((fault) => effects.filter((effect) => effect === fault).map(() => fault));
  }
}
