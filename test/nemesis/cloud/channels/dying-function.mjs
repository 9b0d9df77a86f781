// Loaded into functions before their own code. A file of NEMESIS_FOLDER/orders names a function,
// the number of table writes that pass, and the effect on the next one. The process that renames
// the file executes it.
import { subscribe } from 'node:diagnostics_channel';
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';

const folder = process.env.NEMESIS_FOLDER;
const own = `${process.env.POWERTOOLS_SERVICE_NAME?.replaceAll('/', '.')} `;
const writes = /\.(TransactWriteItems|PutItem|UpdateItem|DeleteItem)$/;
let order;

function takeOrder() {
  for (const file of readdirSync(join(folder, 'orders'))) {
    if (!file.startsWith(own)) continue;
    try {
      renameSync(join(folder, 'orders', file), join(folder, 'taken', file));
    } catch {
      // Another process of the function has it.
      continue;
    }
    const [, passes, effect] = file.split(' ');
    return { file, passes: Number(passes), effect };
  }
  return undefined;
}

const end = () => process.kill(process.pid, 'SIGKILL');
const done = ({ file }) => writeFileSync(join(folder, 'done', file), '');

/** Calls `act` instead of what waits for the answer. */
function atAnswer(request, act) {
  const emit = request.emit.bind(request);
  request.emit = (name, ...rest) => (name === 'response' ? act(emit, ...rest) : emit(name, ...rest));
}

/** Sends nothing; the answer is an error of DynamoDB. */
function refuse(request, errorOf) {
  const emit = request.emit.bind(request);
  const chunks = [];
  request.write = (chunk) => chunks.push(Buffer.from(chunk));
  request.end = (chunk) => {
    if (chunk) chunks.push(Buffer.from(chunk));
    const body = JSON.stringify(errorOf(JSON.parse(Buffer.concat(chunks).toString())));
    const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-requestid': 'nemesis' };
    setImmediate(() => {
      emit('response', Object.assign(Readable.from([Buffer.from(body)]), { statusCode: 400, headers }));
      // The end of the unused connection is no error of the request.
      request.emit = (name, ...rest) => name !== 'error' && emit(name, ...rest);
      request.destroy();
    });
    return request;
  };
}

const type = (name) => `com.amazonaws.dynamodb.v20120810#${name}`;
const effects = {
  before: end,
  after: (request) => atAnswer(request, end),
  lost_answer: (request) =>
    atAnswer(request, (emit, response) => {
      response.resume();
      const error = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
      emit('error', error);
      return true;
    }),
  conflict: (request) =>
    refuse(request, ({ TransactItems = [] }) => ({
      __type: type(TransactItems.length ? 'TransactionCanceledException' : 'TransactionConflictException'),
      message: 'Transaction is ongoing for the item',
      CancellationReasons: TransactItems.map((_, at) => ({ Code: at ? 'None' : 'TransactionConflict' })),
    })),
  throttle: (request) =>
    refuse(request, () => ({
      __type: type('ProvisionedThroughputExceededException'),
      message: 'The level of configured provisioned throughput for the table was exceeded',
    })),
};

subscribe('http.client.request.created', ({ request }) => {
  if (!writes.test(String(request.getHeader('x-amz-target') ?? ''))) return;
  order ??= takeOrder();
  if (!order) return;
  if (order.passes > 0) {
    order.passes -= 1;
    return;
  }
  const { effect } = order;
  done(order);
  order = undefined;
  effects[effect](request);
});
