import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { deploymentContext } from './deployment-context.js';

function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'context-'));
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), JSON.stringify(content));
  return folder;
}

const empty = folderWith({});
const idOf = (args: readonly string[], folder = empty, home = empty) =>
  deploymentContext(args, folder, home).deploymentId;

it('has the defaults of the CDK app', () => {
  expect(deploymentContext([], empty, empty)).toMatchObject({
    deploymentId: 'berth',
    nodeImageParameter: '/berth/ami/arm64',
    retainData: true,
  });
});

it('takes the settings from where CDK takes its context, in the same order', () => {
  const id = (deploymentId: string) => ({ deploymentId });
  const home = folderWith({ '.cdk.json': { context: id('of-home') } });
  const cached = folderWith({ 'cdk.context.json': id('of-cache') });
  const both = folderWith({ 'cdk.json': { context: id('of-file') }, 'cdk.context.json': id('of-cache') });

  expect(idOf([], empty, home)).toBe('of-home');
  expect(idOf([], cached, home)).toBe('of-cache');
  expect(idOf([], both, home)).toBe('of-file');
  expect(idOf(['-c', 'deploymentId=of-line'], both, home)).toBe('of-line');
});

it.each([
  [['--context', 'deploymentId=two']],
  [['--context=deploymentId=two']],
  [['-c', 'deploymentId=two']],
  [['-cdeploymentId=two']],
  [['--force', '-c', 'retainData=false', '-c', 'deploymentId=two', '--verbose']],
])('reads %j, beside options of CDK itself', (args) => {
  expect(idOf(args)).toBe('two');
});

it('names the image parameter by the deployment, so that two deployments do not share one', () => {
  const read = (...args: string[]) => deploymentContext(args, empty, empty).nodeImageParameter;

  expect(read('-c', 'deploymentId=two')).toBe('/two/ami/arm64');
  expect(read('-c', 'deploymentId=two', '-c', 'nodeImageParameter=/x/amd64')).toBe('/x/amd64');
});

it('refuses an invalid id instead of taking the default', () => {
  expect(() => idOf(['-c', 'deploymentId=Has Spaces'])).toThrow('deploymentId');
});
