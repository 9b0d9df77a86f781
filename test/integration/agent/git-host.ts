import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.example', ...args], { cwd, stdio: 'pipe' });

/** Creates a bare repository of these files, with one commit on main; scripts are executable. */
export function addRepository(root: string, name: string, files: Readonly<Record<string, string>>): void {
  const seed = mkdtempSync(join(root, 'seed-'));
  git(seed, 'init', '--initial-branch=main');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(seed, path)), { recursive: true });
    writeFileSync(join(seed, path), text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
  }
  git(seed, 'add', '.');
  git(seed, 'commit', '-m', 'first');
  git(root, 'clone', '--bare', seed, `${name}.git`);
  git(join(root, `${name}.git`), 'config', 'http.receivepack', 'true');
  git(join(root, `${name}.git`), 'config', 'uploadpack.allowFilter', 'true');
}

/** Creates bare repositories: `full` with a commit on main, `empty` without commits. */
export function makeRepositories(root: string): void {
  const seed = join(root, 'seed');
  mkdirSync(seed, { recursive: true });
  git(seed, 'init', '--initial-branch=main');
  writeFileSync(join(seed, 'hello.txt'), 'hello from the repository\n');
  git(seed, 'add', '.');
  git(seed, 'commit', '-m', 'first');
  git(root, 'clone', '--bare', seed, 'full.git');
  git(root, 'init', '--bare', '--initial-branch=main', 'empty.git');
  for (const name of ['full.git', 'empty.git']) {
    git(join(root, name), 'config', 'http.receivepack', 'true');
    git(join(root, name), 'config', 'uploadpack.allowFilter', 'true');
  }
}

/** Git's smart HTTP, with the right token only. */
export function serveGit(
  root: string,
  token: () => string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const expected = `Basic ${Buffer.from(`x-access-token:${token()}`).toString('base64')}`;
  if (request.headers.authorization !== expected) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    return;
  }
  const url = new URL(request.url ?? '/', 'http://git');
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: url.pathname.replace(/^\/git/, ''),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      REMOTE_USER: 'x-access-token',
      HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
  });
  request.pipe(backend.stdin);
  const chunks: Buffer[] = [];
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  backend.on('close', () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf('\r\n\r\n');
    const lines = output.subarray(0, end).toString().split('\r\n');
    let status = 200;
    for (const line of lines) {
      const [name = '', value = ''] = line.split(': ');
      if (name === 'Status') status = Number.parseInt(value, 10);
      else if (name) response.setHeader(name, value);
    }
    response.writeHead(status).end(output.subarray(end + 4));
  });
}
