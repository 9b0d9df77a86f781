import { createServer } from 'node:http';

const challengePath = '/.well-known/acme-challenge/';
/** The authority asks a few times from several places; nobody else has a reason to connect. */
const maxConnections = 32;
const timeoutMs = 5_000;

/** The challenge port of a node cannot be opened: another process has it. */
export class ChallengePortTaken extends Error {
  override readonly name = 'ChallengePortTaken';
}

interface ChallengeAt {
  readonly host: string;
  readonly port: number;
}

/**
 * Serves the response to one `http-01` challenge (RFC 8555, section 8.3) and nothing else, until it
 * is disposed.
 *
 * @throws {ChallengePortTaken}
 */
export async function serveChallenge(
  { host, port }: ChallengeAt,
  token: string,
  response: string,
): Promise<AsyncDisposable> {
  const server = createServer({ headersTimeout: timeoutMs, requestTimeout: timeoutMs }, (request, reply) => {
    const isChallenge = request.method === 'GET' && request.url === challengePath + token;
    reply.writeHead(isChallenge ? 200 : 404, {
      'content-type': 'application/octet-stream',
      connection: 'close',
    });
    reply.end(isChallenge ? response : '');
  });
  server.maxConnections = maxConnections;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, host, resolve);
  await promise.catch((cause: unknown) => {
    throw new ChallengePortTaken(`The challenge port ${port} cannot be opened`, { cause });
  });
  return {
    [Symbol.asyncDispose]: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
