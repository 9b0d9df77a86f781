import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { EmulatorAccess } from '../access/keys.js';
import { callAws } from '../access/signature.js';
import { zip } from './zip.js';

const Listed = z.object({
  Functions: z.array(z.object({ FunctionName: z.string(), Description: z.optional(z.string()) })),
  NextMarker: z.nullish(z.string()),
});

const Configuration = z.object({
  Timeout: z.number(),
  Environment: z.object({ Variables: z.record(z.string(), z.string()) }),
});
export type FunctionConfiguration = z.infer<typeof Configuration>;

/** The functions on the emulator, by the name of their source: `http/workspaces/create`. */
export class Functions {
  private physicalNames: ReadonlyMap<string, string> | undefined;

  constructor(private readonly access: EmulatorAccess) {}

  /**
   * Replaces the code by the files of a folder. Warm containers of the function end with their
   * request.
   */
  async updateCode(name: string, folder: string): Promise<void> {
    const files = new Map(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file))]));
    const body = { ZipFile: zip(files).toString('base64') };
    await this.call('PUT', `/${await this.physicalName(name)}/code`, body);
  }

  async configuration(name: string): Promise<FunctionConfiguration> {
    return Configuration.parse(await this.call('GET', `/${await this.physicalName(name)}/configuration`));
  }

  async configure(name: string, configuration: FunctionConfiguration): Promise<void> {
    await this.call('PUT', `/${await this.physicalName(name)}/configuration`, configuration);
  }

  async has(name: string): Promise<boolean> {
    return (await this.names()).has(name);
  }

  /** Its name in Lambda. */
  async physicalName(name: string): Promise<string> {
    const physical = (await this.names()).get(name);
    if (!physical) throw new Error(`No function of lambdas/${name}.ts is deployed`);
    return physical;
  }

  /** By the description that `infra` gives each function: the path of its source. */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the exits of one loop, which share its state
  private async names(): Promise<ReadonlyMap<string, string>> {
    if (this.physicalNames) return this.physicalNames;
    const names = new Map<string, string>();
    let marker: string | null | undefined;
    do {
      const query = marker ? `?Marker=${encodeURIComponent(marker)}` : '';
      const page = Listed.parse(await this.call('GET', `/${query}`));
      for (const { FunctionName, Description } of page.Functions) {
        const source = /^lambdas\/(.*)\.ts$/.exec(Description ?? '')?.[1];
        if (source) names.set(source, FunctionName);
      }
      marker = page.NextMarker;
    } while (marker);
    this.physicalNames = names;
    return names;
  }

  private async call(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await callAws(this.access, {
      service: 'lambda',
      method,
      path: `/2015-03-31/functions${path}`,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`Lambda answered ${response.status}: ${await response.text()}`);
    return response.json();
  }
}
