import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { beforeEach, inject } from 'vitest';
import { screenshots } from '../open-browsers.js';
import { keepArtefacts } from './artefacts.js';

const runFolder = process.env.BERTH_TEST_RUN ?? '.cache/failed-tests';
const attempt = process.env.BERTH_TEST_TRY ?? 'only';
const slug = (text: string) => text.replaceAll(/[^\w.-]+/g, '-').slice(0, 80);

/** A failed test keeps the logs of the parts that still run, and what its browsers show. */
beforeEach((context) => {
  context.onTestFailed(async ({ task }) => {
    const names = [`${attempt}-try`, task.file.projectName ?? '', task.file.name, task.name].map(slug);
    await screenshots(tmpdir());
    // Its own parts are in the temporary folder of the file; a shared cloud is not.
    const kept = keepArtefacts([tmpdir(), ...sharedFolders()], resolve(runFolder, 'artefacts', ...names));
    if (kept) task.meta.kept = kept;
  });
});

function sharedFolders(): readonly string[] {
  const cloud = inject('cloud');
  return cloud ? [cloud.stateDir] : [];
}
