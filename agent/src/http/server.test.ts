import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { AgentError } from '../errors.js';
import { makeCertificate } from '../node/make-certificate.js';
import { Log } from '../shared/log.js';
import { createServer } from './server.js';

const log = new Log({ level: 'error', format: 'json' }, () => {});
const makeServer = () =>
  createServer(
    { nodeId: 'node-1', certificate: makeCertificate('node-1') },
    { readTimeoutMs: 1_000, idleTimeoutMs: 1_000 },
    log,
  );

it('refuses a route with a Fastify schema', async () => {
  await using app = makeServer();
  app.post('/sent', { schema: { body: { type: 'object' } } }, async () => 'read');
  await expect(app.ready()).rejects.toThrow('No route of the agent has a Fastify schema');
});

it('answers with the code of a stream that fails before its first byte', async () => {
  await using app = makeServer();
  app.get('/failing', async (_, reply) => {
    const stream = new Readable({
      read() {
        this.destroy(new AgentError('payload_too_large', 'Too large'));
      },
    });
    reply.headers({ 'content-length': 5, 'content-disposition': 'attachment' }).type('application/gzip');
    return reply.send(stream);
  });

  const { statusCode, headers, body } = await app.inject('/failing');

  expect([statusCode, JSON.parse(body)]).toEqual([413, { error: 'payload_too_large', message: 'Too large' }]);
  expect(headers['content-disposition']).toBeUndefined();
});
