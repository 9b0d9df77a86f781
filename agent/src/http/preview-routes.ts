import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { AgentError } from '../errors.js';
import type { Forwarder, Forwarding } from '../previews/forwarder.js';
import { type PreviewAddress, parsePreviewAddress } from '../previews/preview-address.js';
import {
  isNavigation,
  type PreviewAuthContext,
  type PreviewCaller,
  previewCaller,
} from '../previews/preview-caller.js';
import { forwardRoute } from './forward-route.js';
import type { UpgradeRequest, Upgrades } from './upgrades.js';

export interface PreviewRouteParts extends PreviewAuthContext {
  readonly forwarder: Forwarder;
  readonly publicScheme: 'http' | 'https';
}

const Place = z.object({ workspaceId: Ulid });
const Port = z.object({ port: z.coerce.number().check(z.int(), z.gte(1), z.lte(65_535)) });

interface Asked {
  readonly request: IncomingMessage;
  readonly address: PreviewAddress;
  readonly params: unknown;
  readonly isUpgrade: boolean;
}

/** The services of a workspace, as a person's browser sees them: HTTP of any kind, and WebSockets. */
export function addPreviewRoutes(app: FastifyInstance, upgrades: Upgrades, parts: PreviewRouteParts): void {
  app.all(
    '/workspaces/:workspaceId/ports/:port/*',
    forwardRoute((request, reply) => serve(request, reply, parts)),
  );
  upgrades.add(/^\/workspaces\/[^/]+\/ports\/[^/]+(?:\/|$)/, (upgrade) => takeUpgrade(upgrade, parts));
}

async function serve(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: PreviewRouteParts,
): Promise<FastifyReply> {
  const address = parsePreviewAddress(request.originalUrl);
  if (!address) throw new AgentError('not_found', 'There is no such route');
  const asked = { request: request.raw, address, params: request.params, isUpgrade: false };
  const { caller, forwarding } = await admitted(asked, parts);
  const elsewhere = redirection(asked, caller, parts);
  if (elsewhere === null) {
    await parts.forwarder.forward(forwarding, reply.raw, () => reply.hijack());
    return reply;
  }
  if (caller.cookie !== null) reply.header('set-cookie', caller.cookie);
  reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  return reply.redirect(elsewhere, 307);
}

/** A token must not stay in the address of a page that the service can read, nor a page be without its own folder. */
function redirection(
  { request, address }: Asked,
  { sessionHash }: PreviewCaller,
  { credentials }: PreviewRouteParts,
): string | null {
  const { method = 'GET', headers } = request;
  if (sessionHash === null || !isNavigation({ method, headers, isUpgrade: false })) return null;
  const { prefix, path, query } = address;
  const elsewhere = `${prefix}${path || '/'}${credentials.withoutToken(query)}`;
  return elsewhere === `${prefix}${path}${query}` ? null : elsewhere;
}

async function takeUpgrade(
  { request, socket, head, url }: UpgradeRequest,
  parts: PreviewRouteParts,
): Promise<void> {
  const address = parsePreviewAddress(request.url ?? '');
  const [, , workspaceId, , port] = url.pathname.split('/');
  if (!address) throw new AgentError('not_found', 'There is no such socket');
  if (request.headers.upgrade?.toLowerCase() !== 'websocket')
    throw new AgentError('invalid_request', 'Only WebSocket upgrades are passed on');
  const asked = { request, address, params: { workspaceId, port }, isUpgrade: true };
  const { forwarding } = await admitted(asked, parts);
  await parts.forwarder.upgrade(forwarding, socket, head);
}

/** Who asks is checked before what is asked. */
async function admitted(
  { request, address, params, isUpgrade }: Asked,
  parts: PreviewRouteParts,
): Promise<{ readonly caller: PreviewCaller; readonly forwarding: Forwarding }> {
  const { workspaceId } = Place.parse(params);
  const { method = 'GET', headers } = request;
  const call = { method, headers, isUpgrade, workspaceId, query: address.query };
  const caller = await previewCaller(call, parts);
  const { port } = Port.parse(params);
  const { prefix, path, query } = address;
  const publicHost = headers.host ?? '';
  const host = `localhost:${port}`;
  const forwarding: Forwarding = {
    request,
    workspaceId,
    port,
    path: `${path || '/'}${parts.credentials.withoutToken(query)}`,
    as: {
      host,
      forwardedHost: publicHost,
      forwardedFor: (request.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
      forwardedProto: parts.publicScheme,
      forwardedPrefix: prefix,
    },
    place: { prefix, hosts: [host, `127.0.0.1:${port}`, `[::1]:${port}`, publicHost.toLowerCase()] },
    ...caller,
  };
  return { caller, forwarding };
}
