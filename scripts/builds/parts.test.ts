import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { functionFiles } from '../../infra/function-files.js';
import { hashSources } from '../../local/deployment/source-hash.js';
import { root, sourcesOfDeployment, sourcesOfPart } from './parts.js';

/** The files of this repository that a bundler reads for these entry points. */
async function filesOf(entryPoints: readonly string[]): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...entryPoints],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outdir: 'nowhere',
    loader: { '.svg': 'copy' },
    metafile: true,
    write: false,
  });
  return Object.keys(metafile.inputs);
}

const isAmong = (sources: readonly string[], file: string): boolean =>
  sources.some((source) => file === source || file.startsWith(`${source}/`));

describe('the sources of each part', () => {
  it.each([
    [
      'functions',
      sourcesOfPart.lambdas,
      [...functionFiles.map((name) => `lambdas/${name}.ts`), 'scripts/build-lambdas.ts'],
    ],
    ['agent', sourcesOfPart.agent, ['agent/src/main.ts', 'scripts/build-agent.ts']],
    [
      'console',
      sourcesOfPart.web,
      ['web/src/app/main.tsx', 'web/src/main.css', 'web/src/push-worker.ts', 'scripts/build-web.ts'],
    ],
    ['list of functions', sourcesOfPart.lambdas, ['infra/function-files.ts']],
    ['deployment', sourcesOfDeployment, ['infra/app.ts']],
  ])('include every file that the bundler reads: %s', async (_, sources, entryPoints) => {
    const files = await filesOf(entryPoints);

    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => !isAmong(sources, file))).toEqual([]);
  });

  it.each(Object.entries({ ...sourcesOfPart, deployment: sourcesOfDeployment }))(
    'name another content after a change of any of them: %s',
    (_, sources) => {
      const copy = mkdtempSync(join(tmpdir(), 'berth-parts-'));
      for (const source of sources) {
        mkdirSync(join(copy, source, '..'), { recursive: true });
        cpSync(join(root, source), join(copy, source), { recursive: true });
      }
      const seen = new Set([hashSources(copy, sources)]);

      for (const source of sources) {
        const isFile = /\.\w+$/.test(source);
        writeFileSync(join(copy, isFile ? source : `${source}/added.ts`), 'changed');
        seen.add(hashSources(copy, sources));
      }

      expect(seen.size).toBe(sources.length + 1);
      rmSync(copy, { recursive: true });
    },
  );
});
