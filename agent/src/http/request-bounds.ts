import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { FastifyInstance } from 'fastify';
import { parsePreviewAddress } from '../previews/preview-address.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Requests are forwarded to a service of a workspace, without a time limit. */
    readonly isForwarded?: boolean;
    /** The route limits the time of its request bodies. */
    readonly isStreamed?: boolean;
  }
}

type App = FastifyInstance<Server>;

/** Destroys connections of incomplete requests after a timeout, even after a response. */
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
    if (!parsePreviewAddress(request)) response.writeContinue();
    app.server.emit('request', request, response);
  });
}
