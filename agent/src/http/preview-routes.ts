import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { parsePreviewHost } from '../../../protocol/preview-host.js';
import { pathParameters } from '../../api/parameters.js';
import { portContracts } from '../../api/ports.js';
import { AgentError } from '../errors.js';
import type { PortScanner } from '../ports/port-scanner.js';
import type { Forwarder, Forwarding } from '../previews/forwarder.js';
import { type PreviewAddress, parsePreviewAddress } from '../previews/preview-address.js';
import {
  isNavigation,
  isOwnOrigin,
  type PreviewAuthContext,
  type PreviewCaller,
  previewCaller,
} from '../previews/preview-caller.js';
import type { Router } from './router.js';
import type { UpgradeRequest } from './upgrades.js';

export interface PreviewRouteDeps extends PreviewAuthContext {
  readonly forwarder: Forwarder;
  readonly publicScheme: 'http' | 'https';
  readonly controlPlaneUrl: string;
}

const { workspaceId: WorkspaceId, port: PortNumber } = pathParameters;
const WorkspaceParam = z.object({ workspaceId: WorkspaceId });
const PortParam = z.object({ port: PortNumber });

interface Asked {
  readonly request: IncomingMessage;
  readonly address: PreviewAddress;
  readonly params: unknown;
  readonly isUpgrade: boolean;
}

export function addPortRoutes(router: Router, scanner: PortScanner): void {
  router.route(portContracts.listPorts, async ({ workspace }) => ({
    status: 200,
    body: await scanner.list(workspace.workspaceId),
  }));
}

/** Shows services of a workspace in a person's browser. */
export function addPreviewRoutes(router: Router, deps: PreviewRouteDeps): void {
  router.forward(
    portContracts.preview,
    (request, reply) => serve(request, reply, deps),
    (upgrade) => takeUpgrade(upgrade, deps),
  );
}

async function serve(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: PreviewRouteDeps,
): Promise<FastifyReply> {
  const address = parsePreviewAddress({ url: request.originalUrl, headers: request.headers });
  if (!address) throw new AgentError('not_found', 'No such route');
  const asked = { request: request.raw, address, params: request.params, isUpgrade: false };
  const admission = await admitted(asked, deps).catch((error: unknown) => ({ error }));
  if ('error' in admission) return signIn(reply, { asked, ...admission }, deps);
  const { caller, forwarding } = admission;
  const elsewhere = redirection(asked, caller, deps);
  if (elsewhere === null) {
    await deps.forwarder.forward(forwarding, reply.raw, () => reply.hijack());
    return reply;
  }
  if (caller.cookie !== null) reply.header('set-cookie', caller.cookie);
  reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  return reply.redirect(elsewhere, 307);
}

/**
 * Sends the browser of a person without a valid cookie to the console, which comes back with a
 * token.
 */
function signIn(
  reply: FastifyReply,
  { asked, error }: { readonly asked: Asked; readonly error: unknown },
  { credentials, controlPlaneUrl }: PreviewRouteDeps,
): FastifyReply {
  const { method = 'GET', headers } = asked.request;
  const service = parsePreviewHost(headers.host);
  const isUnauthorized = error instanceof AgentError && error.code === 'unauthorized';
  if (!isUnauthorized || !service || !isNavigation({ method, headers, isUpgrade: false })) throw error;
  const { path, query } = asked.address;
  const page = new URL(`/workspaces/${service.workspaceId}/ports/${service.port}`, controlPlaneUrl);
  page.searchParams.set('path', `${path}${credentials.withoutToken(query)}`);
  reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  return reply.redirect(page.href, 307);
}

/**
 * Removes a token from the address of a page, which the service could read, and adds a missing
 * final slash.
 */
function redirection(
  { request, address }: Asked,
  { sessionHash }: PreviewCaller,
  { credentials }: PreviewRouteDeps,
): string | null {
  const { method = 'GET', headers } = request;
  if (sessionHash === null || !isNavigation({ method, headers, isUpgrade: false })) return null;
  const { prefix, path, query } = address;
  const elsewhere = `${prefix}${path || '/'}${credentials.withoutToken(query)}`;
  return elsewhere === `${prefix}${path}${query}` ? null : elsewhere;
}

async function takeUpgrade(
  { request, socket, head, url }: UpgradeRequest,
  deps: PreviewRouteDeps,
): Promise<void> {
  const address = parsePreviewAddress(request);
  const [, , workspaceId, , port] = url.pathname.split('/');
  if (!address) throw new AgentError('not_found', 'No such socket');
  if (request.headers.upgrade?.toLowerCase() !== 'websocket')
    throw new AgentError('invalid_request', 'Only WebSocket upgrades are forwarded');
  const asked = { request, address, params: { workspaceId, port }, isUpgrade: true };
  const { forwarding } = await admitted(asked, deps);
  await deps.forwarder.upgrade(forwarding, socket, head);
}

/** Authenticates before parsing the port. */
async function admitted(
  { request, address, params, isUpgrade }: Asked,
  deps: PreviewRouteDeps,
): Promise<{ readonly caller: PreviewCaller; readonly forwarding: Forwarding }> {
  const { workspaceId } = WorkspaceParam.parse(params);
  const { method = 'GET', headers } = request;
  const { prefix, path, query } = address;
  const isOwnHost = parsePreviewHost(headers.host) !== null;
  const named = PortParam.safeParse(params).data?.port ?? null;
  const call = { method, headers, isUpgrade, workspaceId, port: named, isOwnHost, query };
  const caller = await previewCaller(call, deps);
  const { port } = PortParam.parse(params);
  const publicHost = headers.host ?? '';
  const host = `localhost:${port}`;
  const forwarding: Forwarding = {
    request,
    workspaceId,
    port,
    path: `${path || '/'}${deps.credentials.withoutToken(query)}`,
    as: {
      host,
      origin: isUpgrade && isOwnHost && isOwnOrigin(headers) ? `http://${host}` : null,
      forwardedHost: publicHost,
      forwardedFor: (request.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
      forwardedProto: deps.publicScheme,
      forwardedPrefix: prefix || null,
    },
    place: { prefix, hosts: [host, `127.0.0.1:${port}`, `[::1]:${port}`, publicHost.toLowerCase()] },
    ...caller,
  };
  return { caller, forwarding };
}
