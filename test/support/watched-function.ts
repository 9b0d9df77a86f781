import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Functions } from '../../local/deployment/functions.js';
import { Emulator } from '../../local/emulator/emulator.js';
import { freePort } from '../../local/processes/ports.js';
import { RunLedger } from '../../local/processes/run-ledger.js';
import { watchSources } from '../../local/watch/watch-sources.js';
import { bundleFunctions } from '../../scripts/lambdas/bundle-functions.js';
import { createFunction, post } from '../integration/local/small-function.js';
import { until } from './until.js';

const name = 'http/utility/health';

/** A copy of this checkout that is watched, and one of its functions on an emulator. */
export class WatchedFunction implements AsyncDisposable {
  readonly reports: string[] = [];
  readonly replaced: string[] = [];
  private readonly stack = new AsyncDisposableStack();

  private constructor(
    private readonly root: string,
    private readonly emulator: Emulator,
  ) {}

  static async start(): Promise<WatchedFunction> {
    const root = mkdtempSync(join(tmpdir(), 'berth-watched-'));
    const checkout = process.cwd();
    for (const folder of ['agent', 'client', 'infra', 'lambdas', 'protocol', 'state-machines', 'web'])
      cpSync(join(checkout, folder), join(root, folder), { recursive: true });
    for (const file of ['package.json', 'tsconfig.json']) cpSync(join(checkout, file), join(root, file));
    symlinkSync(join(checkout, 'node_modules'), join(root, 'node_modules'));
    const emulator = await Emulator.start({
      root: checkout,
      stateDir: join(root, '.berth'),
      port: await freePort(),
      nodeBin: join(checkout, 'node_modules/node/bin'),
      ledger: new RunLedger(join(root, 'run')),
    });
    const watched = new WatchedFunction(root, emulator);
    await watched.deploy();
    return watched;
  }

  /** Makes the handler answer this. */
  write(answer: string): void {
    writeFileSync(
      join(this.root, `lambdas/${name}.ts`),
      `import { table } from '../../shared/clients/documents.js';
export const handler = async () => (table.client ? ${JSON.stringify(answer)} : '');
`,
    );
  }

  breakHandler(): void {
    writeFileSync(join(this.root, `lambdas/${name}.ts`), 'export const handler = (');
  }

  async untilReports(text: string): Promise<void> {
    await until(`a report of ${text}`, () => this.reports.some((line) => line.includes(text)) || undefined);
  }

  async untilAnswers(expected: string): Promise<void> {
    await until(`the function answers ${expected}`, async () => {
      const path = '/2015-03-31/functions/small/invocations';
      const { text } = await post(this.emulator, path, {});
      if (text === JSON.stringify(expected)) return true;
      throw new Error(`It answers ${text}. Reports: ${this.reports.join('; ')}`);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stack.disposeAsync();
    await this.emulator[Symbol.asyncDispose]();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }

  private async deploy(): Promise<void> {
    const { root, emulator } = this;
    const bundles = join(root, 'dist/lambdas');
    mkdirSync(bundles, { recursive: true });
    this.write('first');
    await bundleFunctions([name], { root, outdir: bundles });
    const files = readdirSync(join(bundles, name)).map(
      (file) => [file, readFileSync(join(bundles, name, file))] as const,
    );
    await createFunction(emulator, new Map(files), {
      description: `lambdas/${name}.ts`,
      environment: { TABLE_NAME: 'none' },
    });
    const functions = new Functions(emulator);
    this.stack.use(
      watchSources({
        root,
        bundles,
        functions,
        restartAgents: async () => 0,
        uploadConsole: async () => undefined,
        willReplace: (each) => this.replaced.push(each),
        report: (line) => this.reports.push(line),
      }),
    );
  }
}
