import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';

interface GitCall {
  readonly projectRoot: string;
  /** `/owner/name.git/info/refs` and so on, as the repositories lie on disk. */
  readonly path: string;
  readonly query: string;
  readonly remoteUser: string | undefined;
}

/** Serves one call of git's smart HTTP by the real `git http-backend`, streaming both ways. */
export function serveGit(call: GitCall, request: IncomingMessage, response: ServerResponse): void {
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      HOME: call.projectRoot,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_PROJECT_ROOT: call.projectRoot,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: call.path,
      QUERY_STRING: call.query,
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      REMOTE_ADDR: '127.0.0.1',
      ...optional('CONTENT_LENGTH', request.headers['content-length']),
      ...optional('HTTP_CONTENT_ENCODING', request.headers['content-encoding']),
      ...optional('GIT_PROTOCOL', first(request.headers['git-protocol'])),
      // Its presence is what lets a push through.
      ...optional('REMOTE_USER', call.remoteUser),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  backend.once('error', () => response.headersSent || response.writeHead(500).end());
  // A client that hangs up ends the backend; a backend that ends early breaks the pipe, which is no
  // error of ours.
  backend.stdin.on('error', () => undefined);
  response.once('close', () => backend.kill());
  request.pipe(backend.stdin);
  answer(backend.stdout, response);
}

/** The backend speaks CGI: headers, an empty line, the body. */
function answer(output: NodeJS.ReadableStream, response: ServerResponse): void {
  let head = Buffer.alloc(0);
  const onData = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    output.removeListener('data', onData);
    const lines = head.subarray(0, end).toString('latin1').split('\r\n');
    const headers = lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 1).trim(),
    ]);
    const status = headers.find(([name]) => name.toLowerCase() === 'status')?.[1];
    response.writeHead(
      status ? Number.parseInt(status, 10) : 200,
      Object.fromEntries(headers.filter(([name]) => name.toLowerCase() !== 'status')),
    );
    response.write(head.subarray(end + 4));
    output.pipe(response);
  };
  output.on('data', onData);
  output.once('end', () => response.headersSent || response.writeHead(500).end());
}

const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);
const optional = (name: string, value: string | undefined) => (value === undefined ? {} : { [name]: value });
