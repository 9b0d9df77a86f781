import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

/**
 * A code host that knows one repository, `octo/hello`, and lets everybody see it who brings this
 * token.
 */
export const userToken = 'token-of-octo';

export async function startCodeHost(): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((request, response) => {
    const found =
      request.url === '/repos/octo/hello' && request.headers.authorization === `Bearer ${userToken}`;
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(
        found
          ? {
              id: 7,
              full_name: 'octo/hello',
              default_branch: 'trunk',
              clone_url: 'http://code.example/octo/hello.git',
            }
          : { message: 'Not Found' },
      ),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The code host has no port');
  return { url: `http://127.0.0.1:${address.port}`, server };
}
