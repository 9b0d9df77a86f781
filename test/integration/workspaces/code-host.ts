import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

const repository = {
  id: 7,
  full_name: 'octo/hello',
  default_branch: 'trunk',
  clone_url: 'http://code.example/octo/hello.git',
};

/**
 * A code host that knows one repository, `octo/hello`, and lets everybody see it who brings this
 * token.
 */
export const userToken = 'token-of-octo';

export interface CodeHostStub {
  readonly url: string;
  readonly server: Server;
  /** Of the repository, by path and query of the request. */
  readonly files: Map<string, string>;
}

export async function startCodeHost(): Promise<CodeHostStub> {
  const files = new Map<string, string>();
  const server = createServer(({ url = '', headers }, response) => {
    const isSeen = headers.authorization === `Bearer ${userToken}`;
    const file = files.get(url.replace('/repos/octo/hello/contents/', ''));
    const content = isSeen ? (url === '/repos/octo/hello' ? JSON.stringify(repository) : file) : undefined;
    response.writeHead(content === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(content ?? JSON.stringify({ message: 'Not Found' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The code host has no port');
  return { url: `http://127.0.0.1:${address.port}`, server, files };
}
