import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BuildKitEngine, hasBuildKitEngine } from '../../support/buildkit-engine.js';
import { isLongRun } from '../run-length.js';
import { corpus } from './corpus.js';
import { HostileNode, searchFor } from './hostile-node.js';
import { type Entry, type HostileRepository, isBuilt } from './hostile-repository.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/**
 * The repositories with a Dockerfile or features. The others do not depend on the builder: the
 * attack ends with the clone or the configuration, or uses an image without a build.
 */
const attacks = corpus.filter((one) => (one.isGrave || isLongRun) && !one.change && isBuilt(one));

type Files = ReturnType<HostileRepository['files']>;
const configuration = '.devcontainer/devcontainer.json';
const cacheMount = 'RUN --mount=type=cache,target=/cached true';

/** The same repository, with an instruction that only BuildKit builds. */
function needingBuildKit(files: Files): Files {
  const written = textOf(files[configuration]);
  const { image, ...rest } = JSON.parse(written) as { readonly image?: string };
  if (!image)
    return mapValues(files, (path, text) =>
      path.endsWith('/Dockerfile') ? text.replace(/^FROM .*$/m, `$&\n${cacheMount}`) : text,
    );
  return {
    ...files,
    [configuration]: JSON.stringify({ build: { dockerfile: 'Dockerfile' }, ...rest }),
    '.devcontainer/Dockerfile': `FROM ${image}\n${cacheMount}\n`,
  };
}

const textOf = (entry: Entry | undefined): string => (typeof entry === 'string' ? entry : '');
const mapValues = (files: Files, change: (path: string, text: string) => string): Files =>
  Object.fromEntries(
    Object.entries(files).map(([path, entry]) => [
      path,
      typeof entry === 'string' ? change(path, entry) : entry,
    ]),
  );

describe.skipIf(!hasBuildKitEngine())(
  'a hostile repository built with BuildKit (needs root and scripts/buildkit-engine.sh)',
  () => {
    const ids = new Map<string, string>();
    let engine: BuildKitEngine;
    let node: HostileNode;

    beforeAll(async () => {
      engine = await BuildKitEngine.start();
      node = await HostileNode.start(engine.image, {
        DEVCONTAINER_BUILDX_PATH: BuildKitEngine.buildx,
        DOCKER_HOST: `unix://${engine.socket}`,
      });
      for (const { name, files } of attacks)
        ids.set(name, await node.create(needingBuildKit(files(node.target))));
    });

    afterAll(async () => {
      await node[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
    });

    it.each(attacks)('$name', async ({ name, outcome, reason, reasonOfBuildKit = reason }) => {
      const { canaries } = node;
      const id = ids.get(name) ?? '';
      const last = await node.untilOutcome(id, 1);

      const log = node.bootLog(id);
      expect(canaries.changes()).toEqual([]);
      expect(engine.run('exec', `svc-ws-${id}`, 'sh', '-c', `${searchFor(canaries.secret)} || true`)).toBe(
        '',
      );
      expect(log).not.toContain(canaries.secret);
      expect(log).not.toContain('BuildKit is off');
      expect(last, log).toBe(outcome);
      if (reasonOfBuildKit) expect(log).toMatch(reasonOfBuildKit);
    });
  },
);
