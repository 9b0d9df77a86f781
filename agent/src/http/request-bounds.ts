import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { FastifyInstance } from 'fastify';
import { parsePreviewAddress } from '../previews/preview-address.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its requests go to a service of a workspace, and may take as long as they take. */
    readonly isForwarded?: boolean;
  }
}

type App = FastifyInstance<Server>;

export interface RequestBounds {
  readonly jsonMs: number;
  readonly streamMs: number;
}

/** Cuts requests off that are not all there in time. */
export function boundRequests(app: App, { jsonMs, streamMs }: RequestBounds): void {
  app.addHook('onRequest', async ({ headers, raw, routeOptions }) => {
    if (routeOptions.config.isForwarded === true) return;
    const isJson = /^application\/json\b/i.test(headers['content-type'] ?? '');
    const timer = setTimeout(() => raw.complete || raw.destroy(), isJson ? jsonMs : streamMs);
    raw.once('close', () => clearTimeout(timer));
  });
}

/** Whatever a service may be asked must come as far as its route. */
export function admitForwarded(app: App): void {
  const more = METHODS.filter((method) => method !== 'CONNECT' && !app.supportedMethods.includes(method));
  for (const method of more) app.addHttpMethod(method, { hasBody: true });
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // The service says whether it wants the body; everywhere else every body is wanted.
    if (!parsePreviewAddress(request.url ?? '')) response.writeContinue();
    app.server.emit('request', request, response);
  });
}
