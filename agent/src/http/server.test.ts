import { afterEach, expect, it } from 'vitest';
import { makeCertificate } from '../node/make-certificate.js';
import { Log } from '../shared/log.js';
import { createServer } from './server.js';

const log = new Log({ level: 'error', format: 'json' }, () => {});
const app = createServer(makeCertificate('node-1'), { readTimeoutMs: 1_000, idleTimeoutMs: 1_000 }, log);

afterEach(() => app.close());

it('refuses a route with a Fastify schema', async () => {
  app.post('/sent', { schema: { body: { type: 'object' } } }, async () => 'read');
  await expect(app.ready()).rejects.toThrow('No route of the agent has a Fastify schema');
});
