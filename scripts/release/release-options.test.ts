import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { releaseOptions } from './release-options.js';

function rootWith(context: Record<string, unknown> = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'release-'));
  writeFileSync(join(root, 'cdk.json'), JSON.stringify({ context }));
  return root;
}

it('has the defaults of the deployment', () => {
  expect(releaseOptions([], rootWith())).toEqual({
    deploymentId: 'berth',
    imageParameter: '/berth/ami/arm64',
    arch: 'arm64',
    to: undefined,
    workspaceImage: '',
  });
});

it('takes the command line before the file', () => {
  const root = rootWith({ deploymentId: 'one', nodeImageParameter: '/one/amd64' });

  expect(releaseOptions(['-c', 'deploymentId=two'], root)).toMatchObject({
    deploymentId: 'two',
    arch: 'amd64',
  });
  expect(releaseOptions(['--context=deploymentId=three', `--to=${'a'.repeat(40)}`], root)).toMatchObject({
    deploymentId: 'three',
    to: 'a'.repeat(40),
  });
});

it.each([
  [['--to', 'main'], 'must be a commit'],
  [['--to'], 'needs a value'],
  [['--force', 'yes'], 'There is no option'],
  [['-c', 'nodeImageParameter=/berth/ami'], 'must end with /amd64 or /arm64'],
])('refuses %j', (args, message) => {
  expect(() => releaseOptions(args, rootWith())).toThrow(message);
});
