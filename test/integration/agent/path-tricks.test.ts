import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { agentRows } from '../../../agent/api/contracts.js';
import { jsonSchema } from '../../../lambdas/edge/openapi/json-schema.js';
import { AgentProcess } from './agent-process.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { workspaceRequest } from './workspace-request.js';

const waiting = { timeout: 30_000, interval: 50 };
const outside = 'what-lies-outside';

/**
 * Each path leads out of the workspace, or would when read carelessly. Relative to the repository.
 */
const tricks: Readonly<Record<string, string>> = {
  'a parent': '../../outside/secret.txt',
  'parents in the middle': 'docs/../../../outside/secret.txt',
  'an absolute path': '/etc/passwd',
  'an absolute path with more slashes': '//etc//passwd',
  'the root': '/',
  'a link to a folder outside': 'link-to-folder',
  'a file behind a link': 'link-to-folder/secret.txt',
  'a link to a file outside': 'link-to-file',
  'a link to a link': 'link-to-link',
  'a link to itself': 'link-to-itself',
  'a link to an environment': 'link-to-environment',
  'a NUL': 'README.md\0.txt',
  'an escaped parent': '%2e%2e/%2e%2e/outside/secret.txt',
  backslashes: '..\\..\\outside\\secret.txt',
  'wide dots': '．．/．．/outside/secret.txt',
  'an option': '--output=/tmp/x',
  'a short option': '-R',
  'a command': '$(cat ../../outside/secret.txt)',
  backquotes: '`cat ../../outside/secret.txt`',
  'a home': '~root',
  'a pathspec': ':(top,glob)**',
  'a range of revisions': 'HEAD..main',
  'a line break': 'a\n../../outside/secret.txt',
  'a very long name': 'x'.repeat(300),
  'a very long path': 'x/'.repeat(3_000),
  nothing: '',
};

const parameters = ['path', 'worktree', 'ref', 'base'];
/** Further parameters of a route. */
const others: Readonly<Record<string, string>> = { path: 'README.md' };

const cases = agentRows
  .filter(({ area, contract }) => ['files', 'git'].includes(area) && contract.query !== undefined)
  .flatMap(({ contract }) => {
    const { properties = {}, required = [] } = contract.query ? jsonSchema(contract.query, 'input') : {};
    return parameters
      .filter((name) => name in properties)
      .map((name) => ({ contract, name, needed: required.filter((other) => other !== name) }));
  });

describe('a path outside of the workspace', () => {
  const id = ulid();
  let fake: FakeControlPlane;
  let agent: AgentProcess;
  let home: string;

  beforeAll(async () => {
    fake = await FakeControlPlane.start();
    agent = new AgentProcess(fake, { NODE_ROLE: 'standalone' });
    await agent.start();
    await agent.call('POST', '/workspaces', await fake.management(id), await workspaceRequest(fake, id));
    await vi.waitFor(async () => {
      const { body } = await agent.call('GET', '/workspaces', await fake.management());
      expect(JSON.stringify(body)).toContain('"running"');
    }, waiting);
    home = join(agent.folder, 'workspaces', id);
    const repository = join(home, 'work', 'full');
    mkdirSync(join(home, 'outside'));
    writeFileSync(join(home, 'outside', 'secret.txt'), outside);
    for (const [name, target] of [
      ['link-to-folder', '../../outside'],
      ['link-to-file', '../../outside/secret.txt'],
      ['link-to-link', 'link-to-file'],
      ['link-to-itself', 'link-to-itself'],
      ['link-to-environment', '/proc/self/environ'],
    ] as const)
      symlinkSync(target, join(repository, name));
  });

  afterAll(async () => {
    await agent.call('DELETE', `/workspaces/${id}`, await fake.management(id));
    await agent[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });

  const send = async (method: string, path: string, body?: { type: string; bytes: string }) => {
    const authorization = `Bearer ${await fake.terminal(id)}`;
    return new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
      const headers = { authorization, ...(body ? { 'content-type': body.type } : {}) };
      const address = { host: '127.0.0.1', port: agent.port, ca: agent.certificate() };
      const sent = request({ ...address, method, path, headers }, (response) => {
        let text = '';
        response.setEncoding('latin1').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      sent.on('error', reject);
      sent.end(body?.bytes);
    });
  };

  const harmless = ({ status, text }: { status: number; text: string }) => {
    expect(status).toBeLessThan(500);
    expect(text).not.toContain(outside);
    expect(text).not.toContain('root:x:0:0');
    expect(text).not.toContain('GIT_CONFIG_SYSTEM');
  };

  const form = (destination: string, filename: string) => ({
    type: 'multipart/form-data; boundary=B',
    bytes: [
      '--B\r\ncontent-disposition: form-data; name="destination"\r\n\r\n',
      destination,
      `\r\n--B\r\ncontent-disposition: form-data; name="files"; filename="${filename}"\r\n\r\nuploaded\r\n--B--\r\n`,
    ].join(''),
  });

  it.each(Object.entries(tricks))('%s shows and harms nothing, whatever route is asked', async (_, trick) => {
    for (const { contract, name, needed } of cases) {
      const query = new URLSearchParams([
        [name, trick],
        ...needed.map((other): [string, string] => [other, others[other] ?? '']),
      ]);
      const path = `${contract.path.replace('{workspaceId}', id)}?${query}`;
      if (contract.body === undefined) harmless(await send(contract.method.toUpperCase(), path));
    }
    if (!trick.includes('\n'))
      harmless(await send('POST', `/workspaces/${id}/files/upload`, form(trick, 'new.txt')));
    const worktree = {
      type: 'application/json',
      bytes: JSON.stringify({ branch: trick, createBranch: true }),
    };
    harmless(await send('POST', `/workspaces/${id}/worktrees`, worktree));

    expect(readFileSync(join(home, 'outside', 'secret.txt'), 'utf8')).toBe(outside);
    expect(execFileSync('find', [join(home, 'outside')], { encoding: 'utf8' }).split('\n')).toHaveLength(3);
    for (const leak of ['/new.txt', '/etc/new.txt', '/root/new.txt']) expect(existsSync(leak)).toBe(false);
  });

  it('is refused for every parameter that names a path', () => {
    expect(cases.length).toBeGreaterThan(12);
  });

  it.each(['../evil.txt', '/etc/evil.txt', '..', '.', 'a\\..\\evil.txt', '.svc-upload-x/../evil.txt'])(
    'uploads no file of the name %j anywhere but into its folder',
    async (filename) => {
      harmless(await send('POST', `/workspaces/${id}/files/upload`, form('in', filename)));

      expect(existsSync(join(home, 'work', 'evil.txt'))).toBe(false);
      expect(existsSync('/etc/evil.txt')).toBe(false);
    },
  );

  it('never follows a link that changes during the read', async () => {
    const work = join(home, 'work', 'full');
    mkdirSync(join(work, 'real'));
    writeFileSync(join(work, 'real', 'secret.txt'), 'inside');
    // Alternates between a folder and a link to the outside as fast as possible.
    const flip = `cd '${work}'; while [ -e flipping ]; do ln -sfn real flip; ln -sfn ../../outside flip; done`;
    writeFileSync(join(work, 'flipping'), '');
    const flipping = spawn('sh', ['-c', flip], { stdio: 'ignore' });
    const seen = { inside: 0, refused: 0 };
    try {
      for (let round = 0; round < 60; round += 1) {
        const route = round % 3 === 0 ? 'download?path=flip' : 'raw?path=flip/secret.txt';
        const { status, text } = await send('GET', `/workspaces/${id}/files/${route}`).catch(() => ({
          status: 0,
          text: '',
        }));
        expect(text).not.toContain(outside);
        if (text === 'inside') seen.inside += 1;
        else if (status !== 200) seen.refused += 1;
      }
    } finally {
      execFileSync('rm', [join(work, 'flipping')]);
      flipping.kill();
    }
    expect(seen.inside + seen.refused).toBeGreaterThan(0);
  });
});
