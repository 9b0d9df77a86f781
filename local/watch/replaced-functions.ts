import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { FunctionConfiguration, Functions } from '../deployment/functions.js';

const Replaced = z.record(
  z.string(),
  z.nullable(
    z.object({
      Timeout: z.number(),
      Environment: z.object({ Variables: z.record(z.string(), z.string()) }),
    }),
  ),
);

/**
 * The functions whose code on the emulator is not that of the last deployment, each with its former
 * configuration where that was replaced too. CloudFormation knows nothing of the replacement and
 * would leave it.
 */
export class ReplacedFunctions {
  private readonly file: string;

  constructor(stateDir: string) {
    this.file = join(stateDir, 'replaced-functions.json');
  }

  add(name: string, former: FunctionConfiguration | null = null): void {
    const known = this.read();
    writeFileSync(this.file, JSON.stringify({ ...known, [name]: known[name] ?? former }), {
      mode: 0o600,
    });
  }

  /** Gives each function the code that was built last and its former configuration. */
  async restore(functions: Functions, bundles: string): Promise<void> {
    for (const [name, former] of Object.entries(this.read())) {
      const bundle = join(bundles, name);
      if (!existsSync(bundle) || !(await functions.has(name))) continue;
      await functions.updateCode(name, bundle);
      if (former) await functions.configure(name, former);
    }
    this.forget();
  }

  forget(): void {
    rmSync(this.file, { force: true });
  }

  private read(): z.infer<typeof Replaced> {
    return existsSync(this.file) ? Replaced.parse(JSON.parse(readFileSync(this.file, 'utf8'))) : {};
  }
}
