import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { FastifyInstance } from 'fastify';
import { parsePreviewAddress } from '../previews/preview-address.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its requests go to a service of a workspace, and may take as long as they take. */
    readonly isForwarded?: boolean;
    /** It bounds itself how long its bodies may take. */
    readonly isStreamed?: boolean;
  }
}

type App = FastifyInstance<Server>;

/** Cuts requests off that are not all there in time, whether they were answered already or not. */
export function boundRequests(app: App, timeoutMs: number): void {
  app.addHook('onRequest', async ({ raw, routeOptions: { config } }) => {
    if (config.isForwarded === true || config.isStreamed === true) return;
    const timer = setTimeout(() => raw.complete || raw.destroy(), timeoutMs);
    raw.once('close', () => clearTimeout(timer));
  });
}

/** Accepts every method and `Expect: 100-continue` on forwarded routes. */
export function admitForwarded(app: App): void {
  const more = METHODS.filter((method) => method !== 'CONNECT' && !app.supportedMethods.includes(method));
  for (const method of more) app.addHttpMethod(method, { hasBody: true });
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // On forwarded routes the service decides whether to read the body.
    if (!parsePreviewAddress(request.url ?? '')) response.writeContinue();
    app.server.emit('request', request, response);
  });
}
