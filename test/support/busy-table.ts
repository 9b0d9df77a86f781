import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface Refusal {
  readonly type: string;
  readonly reasons?: readonly string[];
}

const written = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);
const read = new Set(['GetItem', 'Query', 'BatchGetItem', 'BatchWriteItem']);

/**
 * Passes calls on to DynamoDB, and refuses some of them as DynamoDB does while other calls change
 * the same items. The seed decides which.
 */
export class BusyTable implements Disposable {
  /** Calls that it has received. */
  calls = 0;

  private constructor(
    readonly url: string,
    private readonly server: Server,
  ) {}

  static async start(
    endpoint: string,
    { seed, refusedPercent }: { readonly seed: number; readonly refusedPercent: number },
  ): Promise<BusyTable> {
    const random = mulberry32(seed);
    const server = createServer((incoming, response) => {
      const action = String(incoming.headers['x-amz-target']).split('.')[1] ?? '';
      table.calls += 1;
      void text(incoming).then((body) => {
        const refusal = random() * 100 < refusedPercent ? refusalOf(action, body, random()) : undefined;
        if (!refusal) return forward(endpoint, incoming, { body, response });
        refuse(response, refusal);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    server.unref();
    const { port } = server.address() as AddressInfo;
    const table = new BusyTable(`http://127.0.0.1:${port}`, server);
    return table;
  }

  [Symbol.dispose](): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

function refusalOf(action: string, body: string, choice: number): Refusal | undefined {
  const isThrottled = choice < 0.2;
  if (action === 'TransactWriteItems') {
    const { TransactItems } = JSON.parse(body) as { readonly TransactItems: readonly unknown[] };
    const met = Math.floor(choice * TransactItems.length);
    const reason = isThrottled ? 'ThrottlingError' : 'TransactionConflict';
    return {
      type: 'TransactionCanceledException',
      reasons: TransactItems.map((_, index) => (index === met ? reason : 'None')),
    };
  }
  if (written.has(action) && !isThrottled) return { type: 'TransactionConflictException' };
  return written.has(action) || read.has(action)
    ? { type: 'ProvisionedThroughputExceededException' }
    : undefined;
}

function refuse(response: ServerResponse, { type, reasons }: Refusal): void {
  response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
  response.end(
    JSON.stringify({
      __type: `com.amazonaws.dynamodb.v20120810#${type}`,
      message: 'Refused by the test',
      CancellationReasons: reasons?.map((Code) => ({ Code })),
    }),
  );
}

function forward(
  endpoint: string,
  { method, headers }: IncomingMessage,
  { body, response }: { readonly body: string; readonly response: ServerResponse },
): void {
  const call = request(endpoint, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  call.on('error', () => response.destroy());
  call.end(body);
}

/** A small generator of random numbers that repeats itself for the same seed. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
