import { spawnSync } from 'node:child_process';
import { request } from 'node:https';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AgentProcess } from './agent-process.js';
import { baseImage, docker, hasDocker } from './docker-engine.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { workspaceRequest } from './workspace-request.js';

const waiting = { timeout: 30_000, interval: 50 };
const old = '202001010000';

const roles = [
  { role: 'standalone', skip: false, environment: {} },
  {
    role: 'workspace',
    skip: !hasDocker(),
    environment: { DEFAULT_DEVCONTAINER_IMAGE: baseImage },
  },
];

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  // Typed by the tests that use it.
  readonly json: Record<string, unknown>;
}

describe.each(roles.filter(({ skip }) => !skip))('files and git of a workspace, role $role', (setting) => {
  const id = ulid();
  const otherId = ulid();
  let fake: FakeControlPlane;
  let agent: AgentProcess;
  let token: string;

  beforeAll(async () => {
    fake = await FakeControlPlane.start();
    agent = new AgentProcess(fake, { NODE_ROLE: setting.role, ...setting.environment });
    await agent.start();
    const body = await workspaceRequest(fake, id);
    await agent.call('POST', '/workspaces', await fake.management(id), body);
    await vi.waitFor(() => expect(fake.callsTo(`${id}/ready`)).toHaveLength(1), waiting);
    token = await fake.terminal(id);
  });

  afterAll(async () => {
    await agent.call('DELETE', `/workspaces/${id}`, await fake.management(id)).catch(() => undefined);
    await agent[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });

  /** Runs a script in the repository, as a user at a terminal. */
  function shell(script: string): string {
    if (setting.role === 'workspace')
      return docker('exec', '-w', '/workspaces/full', `svc-ws-${id}`, 'sh', '-c', script);
    const cwd = `${agent.folder}/workspaces/${id}/work/full`;
    return spawnSync('sh', ['-c', script], { cwd, encoding: 'utf8' }).stdout.trim();
  }

  function send(
    method: string,
    path: string,
    options: { headers?: object; body?: Buffer; bearer?: string } = {},
  ) {
    const { headers = {}, body, bearer = token } = options;
    return new Promise<Reply>((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: agent.port,
          method,
          path: `/workspaces/${id}/${path}`,
          ca: agent.certificate(),
          headers: { ...(bearer ? { authorization: `Bearer ${bearer}` } : {}), ...headers },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const bytes = Buffer.concat(chunks);
            const isJson = String(response.headers['content-type']).includes('json');
            const json = isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : {};
            resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, json });
          });
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }

  const get = (path: string, headers: object = {}) => send('GET', path, { headers });

  function upload(
    files: readonly (readonly [name: string, content: Buffer | string])[],
    destination?: string,
  ) {
    const boundary = 'xxBOUNDARYxx';
    const parts = files.flatMap(([name, content]) => [
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\n` +
          'Content-Type: application/octet-stream\r\n\r\n',
      ),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]);
    const field = destination
      ? `--${boundary}\r\nContent-Disposition: form-data; name="destination"\r\n\r\n${destination}\r\n`
      : '';
    const body = Buffer.concat([Buffer.from(field), ...parts, Buffer.from(`--${boundary}--\r\n`)]);
    const headers = {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': body.length,
    };
    return send('POST', 'files/upload', { headers, body });
  }

  describe('authentication', () => {
    it.each([
      ['GET', 'files/list'],
      ['GET', 'files/find'],
      ['GET', 'files/raw?path=hello.txt'],
      ['GET', 'files/download?path=hello.txt'],
      ['POST', 'files/upload'],
      ['GET', 'git/status'],
      ['GET', 'git/diff'],
      ['GET', 'git/file?path=hello.txt'],
      ['GET', 'git/branches'],
      ['GET', 'worktrees'],
      ['POST', 'worktrees'],
      ['DELETE', 'worktrees?path=/x'],
    ])(
      'refuses strangers, other workspaces, other generations and node tokens: %s %s',
      async (method, path) => {
        const none = await send(method, path, { bearer: '' });
        const others = await Promise.all(
          [fake.terminal(otherId), fake.terminal(id, 2), fake.management(), fake.management(otherId)].map(
            async (bearer) => (await send(method, path, { bearer: await bearer })).status,
          ),
        );

        expect(none.status).toBe(401);
        expect(others).toEqual([403, 403, 403, 403]);
      },
    );

    it('accepts a terminal token in the query and a management token as bearer', async () => {
      const inAddress = await send('GET', `files/list?token=${token}`, { bearer: '' });
      const bearer = await fake.management(id);

      expect(inAddress.status).toBe(200);
      expect((await send('GET', 'files/list', { bearer })).status).toBe(200);
      expect((await send('GET', `files/list?token=${bearer}`, { bearer: '' })).status).toBe(401);
    });
  });

  describe('a transfer token', () => {
    const tokenFor = (claims: object, expires?: string) =>
      fake.terminalOf({ aud: 'workspace-transfer', workspace: id, ...claims }, expires);
    const statusOf = async (path: string, bearer: string, query = `&token=${bearer}`) =>
      (await send('GET', `${path}${query}`, { bearer: '' })).status;

    it('reads only its file, by one route', async () => {
      shell('echo carried > carried.txt');
      const one = await tokenFor({ transfer: 'raw', path: 'carried.txt' });

      expect(await statusOf('files/raw?path=carried.txt', one)).toBe(200);
      expect(await statusOf('files/raw?path=hello.txt', one)).toBe(403);
      expect(await statusOf('files/raw?path=carried.txt&worktree=/x', one)).toBe(403);
      expect(await statusOf('files/download?path=carried.txt', one)).toBe(403);
      expect(await statusOf('files/list?path=carried.txt', one)).toBe(401);
    });

    it('is no bearer token, and ends with its minute, session and generation', async () => {
      const right = { transfer: 'raw', path: 'carried.txt' };

      expect(
        (await get('files/raw?path=carried.txt', { authorization: `Bearer ${await tokenFor(right)}` }))
          .status,
      ).toBe(401);
      expect(await statusOf('files/raw?path=carried.txt', await tokenFor(right, '-1m'))).toBe(401);
      expect(await statusOf('files/raw?path=carried.txt', await tokenFor({ ...right, generation: 2 }))).toBe(
        403,
      );
      await agent.call('POST', '/sessions/ended', await fake.management(), { sessions: ['over'] });
      expect(
        await statusOf('files/raw?path=carried.txt', await tokenFor({ ...right, session: 'over' })),
      ).toBe(401);
    });
  });

  describe('files', () => {
    it('lists folders first, with kinds, sizes and names of every sort', async () => {
      shell(
        "mkdir -p 'list/z dir' && cd list && printf abc >a.txt && ln -s a.txt link && touch -- '-n' 'ü\nx'",
      );

      const { status, json } = await get('files/list?path=list');

      expect(status).toBe(200);
      expect(
        (json.entries as { name: string; type: string }[]).map(({ name, type }) => `${type} ${name}`),
      ).toEqual(['dir z dir', 'file -n', 'file a.txt', 'symlink link', 'file ü\nx']);
      expect(json.truncated).toBe(false);
    });

    it('truncates a list after 1000 entries', async () => {
      shell('mkdir -p many && cd many && i=0; while [ $i -lt 1100 ]; do : >f$i; i=$((i+1)); done');

      const { json } = await get('files/list?path=many');

      expect(json.entries).toHaveLength(1_000);
      expect(json.truncated).toBe(true);
    });

    it('finds files by a part of their path, without folders that tools fill', async () => {
      shell('mkdir -p find/sub node_modules/x && : >find/sub/Needle.ts && : >node_modules/x/needle.ts');

      expect((await get('files/find?query=needle')).json).toEqual({
        files: ['find/sub/Needle.ts'],
        truncated: false,
      });
    });

    it('sends a file with type, ETag and ranges, or 304', async () => {
      shell(`printf 0123456789 >raw.svg && touch -t ${old} raw.svg`);

      const whole = await get('files/raw?path=raw.svg');
      const etag = String(whole.headers.etag);

      expect(whole).toMatchObject({ status: 200, bytes: Buffer.from('0123456789') });
      expect(whole.headers).toMatchObject({
        'content-type': 'image/svg+xml',
        'content-length': '10',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining('sandbox'),
      });
      expect((await get('files/raw?path=raw.svg', { 'if-none-match': etag })).status).toBe(304);
      const part = await get('files/raw?path=raw.svg', { range: 'bytes=3-5', 'if-range': etag });
      expect([part.status, part.bytes.toString(), part.headers['content-range']]).toEqual([
        206,
        '345',
        'bytes 3-5/10',
      ]);
      expect((await get('files/raw?path=raw.svg', { range: 'bytes=3-5', 'if-range': '"x"' })).status).toBe(
        200,
      );
      const none = await get('files/raw?path=raw.svg', { range: 'bytes=10-' });
      expect([none.status, none.headers['content-range']]).toEqual([416, 'bytes */10']);
      const head = await send('HEAD', 'files/raw?path=raw.svg');
      expect([head.status, head.headers['content-length'], head.bytes.length]).toEqual([200, '10', 0]);
    });

    it('sends the same content and ETag whether the agent or the workspace reads the file', async () => {
      shell(`printf same >same.txt && touch -t ${old} same.txt && ln -s "$PWD/same.txt" same-link.txt`);
      const sent = async (path: string) => {
        const { bytes, headers } = await get(`files/raw?path=${path}`);
        return [bytes.toString(), headers.etag, headers['last-modified'], headers['content-type']];
      };

      const plain = await sent('same.txt');
      const linked = await sent('same-link.txt');
      shell('chmod 600 same.txt');
      const ofOwner = await sent('same.txt');

      expect(plain).toEqual(['same', expect.any(String), expect.any(String), expect.any(String)]);
      expect([linked, ofOwner]).toEqual([plain, plain]);
    });

    it('sends twenty megabytes whole, and refuses more than fifty', async () => {
      shell('head -c 20971520 /dev/urandom >big && truncate -s 52428801 huge');
      const sum = shell('sha256sum big').split(' ')[0];

      const { bytes } = await get('files/raw?path=big');

      const own = spawnSync('sha256sum', { input: bytes, encoding: 'utf8' }).stdout.split(' ')[0];
      expect(own).toBe(sum);
      expect((await get('files/raw?path=huge')).status).toBe(413);
      shell('rm big huge');
    });

    it('sends a folder as an archive', async () => {
      shell('mkdir -p pack/in && printf deep >pack/in/file');

      const { status, headers, bytes } = await get('files/download?path=pack');

      expect(status).toBe(200);
      expect(headers['content-disposition']).toContain('filename="pack.tar.gz"');
      const listed = spawnSync('tar', ['-xzOf', '-', './in/file'], { input: bytes, encoding: 'utf8' });
      expect(listed.stdout).toBe('deep');
    });

    it.each([
      ['files/raw?path=nothing', 404, 'not_found'],
      ['files/list?path=hello.txt', 400, 'invalid_request'],
      ['files/raw?path=.', 400, 'invalid_request'],
      ['files/raw', 400, 'invalid_request'],
      ['files/raw?path=../../etc/passwd', 400, 'invalid_request'],
      ['files/raw?path=a/../../b', 400, 'invalid_request'],
      ['files/raw?path=a%00b', 400, 'invalid_request'],
      ['files/raw?path=/etc/passwd', 403, 'forbidden'],
      ['files/download?path=/', 403, 'forbidden'],
      ['files/raw?path=outlink', 403, 'forbidden'],
      ['files/list?path=outdir', 403, 'forbidden'],
      ['files/download?path=outdir', 403, 'forbidden'],
      ['files/find?path=outdir', 403, 'forbidden'],
      ['files/raw?path=outdir/passwd', 403, 'forbidden'],
      ['files/list?worktree=/etc', 404, 'not_found'],
    ])('stays in the workspace: %s', async (path, status, error) => {
      shell('ln -sfn /etc/passwd outlink; ln -sfn /etc outdir');

      expect(await get(path)).toMatchObject({ status, json: { error } });
    });

    it('names the wrong field', async () => {
      expect((await get('files/raw?path=a/../b')).json.details).toMatchObject([{ field: 'path' }]);
    });
  });

  describe('upload', () => {
    it('writes files to the destination, by default outside of the repository', async () => {
      const big = Buffer.alloc(3_000_000, 'x');

      const wished = await upload(
        [
          ['one.txt', 'one'],
          ['two & ü.bin', big],
        ],
        'up/new',
      );
      const plain = await upload([['../../three.txt', 'three']]);

      expect(wished.json).toEqual({
        files: [
          { name: 'one.txt', path: 'up/new/one.txt', size: 3 },
          { name: 'two & ü.bin', path: 'up/new/two & ü.bin', size: 3_000_000 },
        ],
      });
      expect(shell('cat up/new/one.txt; wc -c <"up/new/two & ü.bin"; ls -A up/new | wc -l')).toBe(
        'one3000000\n2',
      );
      expect(plain.status).toBe(200);
      expect(shell('cat ../.private/three.txt')).toBe('three');
    });

    it('replaces a file at once and never follows a link of its name', async () => {
      shell('mkdir -p over && printf keep >target && ln -sfn ../target over/link');

      await upload([['link', 'new']], 'over');

      expect(shell('cat target over/link')).toBe('keepnew');
    });

    it.each([
      ['too large a file', 'lim', Buffer.alloc(50 * 1_024 * 1_024 + 1), 413],
      ['a place outside', '/etc', 'x', 403],
      ['a link that leads outside', 'outside/deep', 'x', 403],
      ['a place with ..', '../..', 'x', 400],
      ['a folder of that name', 'taken', 'x', 400],
    ])('refuses %s and leaves nothing behind', async (_, destination, content, status) => {
      shell('ln -sfn /tmp outside; mkdir -p lim taken/file');

      expect(
        (
          await upload(
            [
              ['first', 'ok'],
              ['file', content],
            ],
            destination,
          )
        ).status,
      ).toBe(status);

      expect(shell('ls -A lim; ls -A taken; ls -d /tmp/deep /etc/first 2>/dev/null')).toBe('file');
    });

    it('leaves nothing when the client disconnects', async () => {
      shell('mkdir -p cut');
      const sent = request({
        host: '127.0.0.1',
        port: agent.port,
        method: 'POST',
        path: `/workspaces/${id}/files/upload`,
        ca: agent.certificate(),
        headers: { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=b' },
      });
      sent.on('error', () => undefined);
      sent.write('--b\r\nContent-Disposition: form-data; name="destination"\r\n\r\ncut\r\n');
      sent.write('--b\r\nContent-Disposition: form-data; name="files"; filename="f"\r\n\r\n');
      sent.write(Buffer.alloc(500_000));
      await vi.waitFor(() => expect(shell('ls -A cut')).toContain('.svc-upload-'), waiting);

      sent.destroy();

      await vi.waitFor(() => expect(shell('ls -A cut')).toBe(''), waiting);
    });

    it('accepts only forms with a file', async () => {
      const headers = { 'content-type': 'text/csv' };
      expect((await send('POST', 'files/upload', { headers, body: Buffer.from('a') })).status).toBe(415);
      expect((await upload([], 'up')).status).toBe(400);
    });
  });

  describe('git', () => {
    beforeAll(() => {
      shell(
        'rm -rf ./* && git checkout -q -- . && printf "changed\\n" >>hello.txt && printf new >staged && git add staged && printf "a b" >"un known"',
      );
    });

    it('reports staged, changed and untracked files', async () => {
      expect((await get('git/status')).json).toEqual({
        staged: [{ path: 'staged', status: 'A' }],
        unstaged: [{ path: 'hello.txt', status: 'M' }],
        untracked: [{ path: 'un known', status: '??' }],
        truncated: false,
      });
    });

    it('shows diffs: all, one file, staged, an untracked file, against a base', async () => {
      const all = String((await get('git/diff')).json.diff);
      const one = String((await get('git/diff?path=staged')).json.diff);
      const staged = String((await get('git/diff?staged=true')).json.diff);
      const fresh = String((await get('git/diff?path=un%20known')).json.diff);
      const base = String((await get('git/diff?base=origin/main')).json.diff);

      expect(all).toContain('+changed');
      expect(all).not.toContain('staged');
      expect(one).toBe('');
      expect(staged).toContain('+new');
      expect(fresh).toContain('+a b');
      expect(base).toContain('+changed');
      expect(base).toContain('+new');
    });

    it('returns a file at a revision', async () => {
      expect((await get('git/file?path=hello.txt&ref=HEAD')).json).toMatchObject({
        content: 'hello from the repository\n',
        encoding: 'utf-8',
      });
    });

    it('lists branches', async () => {
      expect((await get('git/branches')).json).toEqual({
        branches: [{ name: 'main', isCurrent: true, isLocal: true, isRemote: true }],
        truncated: false,
      });
    });

    it.each([
      ['git/file?path=hello.txt&ref=nope', 404],
      ['git/file?path=nope', 404],
      ['git/file?path=hello.txt&ref=--help', 400],
      ['git/diff?base=a..b', 400],
      ['git/diff?base=nope', 404],
      ['git/diff?staged=true&base=main', 400],
      ['git/diff?staged=perhaps', 400],
      ['git/file?path=../x', 400],
    ])('refuses %s', async (path, status) => {
      expect((await get(path)).status).toBe(status);
    });
  });

  describe('worktrees', () => {
    const post = (body: object) =>
      send('POST', 'worktrees', {
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify(body)),
      });

    it('creates one, shows its files, protects uncommitted changes, and removes it', async () => {
      const made = await post({ branch: 'feature/one', createBranch: true });
      const path = String(made.json.path);
      shell(`printf x >"${path}/only-here"`);
      const query = encodeURIComponent(path);

      expect(made).toMatchObject({ status: 201, json: { branch: 'feature/one', isPrimary: false } });
      expect(path).toMatch(/\/full-wt-feature-one$/);
      expect((await get('worktrees')).json.worktrees).toMatchObject([
        { isPrimary: true },
        { path, isDirty: true, dirtyFileCount: 1 },
      ]);
      expect((await get(`files/raw?path=only-here&worktree=${query}`)).bytes.toString()).toBe('x');
      expect((await get(`git/status?worktree=${query}`)).json.untracked).toMatchObject([
        { path: 'only-here' },
      ]);
      expect(await post({ branch: 'feature/one' })).toMatchObject({
        status: 409,
        json: { error: 'worktree_conflict' },
      });
      expect((await send('DELETE', `worktrees?path=${query}`)).json.error).toBe('worktree_dirty');
      expect((await send('DELETE', `worktrees?path=${query}&force=true`)).json).toEqual({ removed: path });
      expect((await get('worktrees')).json).toMatchObject({ worktrees: [{}], truncated: false });
    });

    it('refuses the main repository, unknown worktrees, invalid names and more than five', async () => {
      const main = (await get('worktrees')).json.worktrees as { path: string }[];

      expect((await send('DELETE', `worktrees?path=${main[0]?.path}`)).status).toBe(400);
      expect((await send('DELETE', 'worktrees?path=/nowhere')).status).toBe(404);
      expect((await post({ branch: '-x', createBranch: true })).status).toBe(400);
      expect((await post({ branch: 'no-such-branch' })).status).toBe(404);
      for (const n of [1, 2, 3, 4, 5])
        expect((await post({ branch: `w${n}`, createBranch: true })).status).toBe(201);
      expect(await post({ branch: 'w6', createBranch: true })).toMatchObject({
        status: 422,
        json: { error: 'worktree_limit' },
      });
    });
  });

  it('reports a workspace that does not run', async () => {
    await agent.call('POST', `/workspaces/${id}/stop`, await fake.management(id));

    expect(await get('files/list')).toMatchObject({ status: 409, json: { error: 'invalid_transition' } });
  });
});
