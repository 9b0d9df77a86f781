import { chmodSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AgentProcess } from '../../integration/agent/agent-process.js';
import { baseImage, docker, hasDocker } from '../../integration/agent/docker-engine.js';
import { FakeControlPlane } from '../../integration/agent/fake-control-plane.js';
import { workspaceRequest } from '../../integration/agent/workspace-request.js';
import { Canaries } from './canaries.js';
import { hostileTool } from './hostile-tool.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/**
 * Simulates a vulnerability in the dev container tool: here the tool is the attacker's program,
 * started by a repository.
 */
describe.skipIf(!hasDocker())('a tool in the hands of an attacker (with a Docker engine)', () => {
  const id = ulid();
  let fake: FakeControlPlane;
  let agent: AgentProcess;
  let canaries: Canaries;
  let found: Readonly<Record<string, string>>;

  beforeAll(async () => {
    fake = await FakeControlPlane.start();
    fake.addRepository('any', { '.devcontainer/devcontainer.json': JSON.stringify({ image: baseImage }) });
    const outside = mkdtempSync(join(tmpdir(), 'outside-'));
    const tools = mkdtempSync(join(tmpdir(), 'tool-'));
    chmodSync(tools, 0o755);
    const tool = join(tools, 'tool.cjs');
    agent = new AgentProcess(fake, {
      NODE_ROLE: 'workspace',
      DEFAULT_DEVCONTAINER_IMAGE: baseImage,
      WORKSPACE_NETWORK: 'none',
      DEVCONTAINER_CLI_PATH: tool,
      SECRET_OF_THE_AGENT: 'canary-of-the-environment',
    });
    const state = join(agent.folder, 'state');
    writeFileSync(tool, hostileTool({ outside, state, token: agent.tokenFile, image: baseImage }));
    await agent.start();
    await vi.waitFor(() => expect(fake.callsTo('heartbeat')).not.toEqual([]), 60_000);
    const own = ['.', 'clones', 'builds', 'run', 'tls'].map((name) => join(state, name));
    canaries = new Canaries(
      [outside, join(agent.folder, 'secrets'), ...own],
      ['/etc'],
      /\.db(?:-\w+)?$|\/(?:builds|clones|run)\/[^/]{26}|\/state\/(?:ready|sandbox)$/,
    );
    canaries.plant();
    const body = await workspaceRequest(fake, id, { repository: 'octo/any', cloneUrl: fake.cloneUrl('any') });
    await agent.call('POST', '/workspaces', await fake.management(id), body);
    await vi.waitFor(() => expect(fake.callsTo(`${id}/ready`)).toHaveLength(1), 60_000);
    const log = fake
      .callsTo(`${id}/boot-log`)
      .map(({ body }) => JSON.stringify(body))
      .join('\n');
    const report = /REPORT ([A-Za-z0-9+/=]+) END/.exec(log)?.[1] ?? '';
    found = JSON.parse(Buffer.from(report, 'base64').toString('utf8') || '{"none": "true"}');
  });

  afterAll(async () => {
    await agent.call('DELETE', `/workspaces/${id}`, await fake.management(id)).catch(() => undefined);
    await agent[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });

  it('reads no files of the agent or the machine', () => {
    expect(found).toMatchObject({
      'read outside': 'ENOENT',
      'read token': 'ENOENT',
      'read state': 'ENOENT',
      'read shadow': 'ENOENT',
      'read root': 'ENOENT',
      'environment of the agent': 'none',
      'processes of others': 'none',
      'docker socket': 'ENOENT',
    });
  });

  it('writes nothing outside of its own folders', () => {
    expect(found).toMatchObject({
      'write etc': 'EROFS',
      'write usr': 'EROFS',
      'write root': 'EROFS',
      'write outside': expect.stringMatching(/ENOENT|EROFS|EACCES/),
    });
    expect(canaries.changes()).toEqual([]);
  });

  it('has no rights on the machine', () => {
    expect(found).toMatchObject({ 'effective capabilities': '0000000000000000', 'no new privileges': '1' });
  });

  it('starts no container, and reaches no object of others through the engine', () => {
    expect(found).toMatchObject({
      'engine ping': '200',
      'engine create container': '403',
      'engine list images': '403',
      'engine volumes': '403',
      'engine build on the host network': '403',
      'engine name of another': '403',
      'engine buildkit': '403',
    });
    expect(docker('ps', '-aq', '--filter', 'name=berth-hostile-tool')).toBe('');
  });

  it('leaves no process behind', () => {
    const mark = `SVC_BUILD=${id}`;
    const left = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && environmentOf(pid).includes(mark));

    expect(left).toEqual([]);
  });
});

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}
