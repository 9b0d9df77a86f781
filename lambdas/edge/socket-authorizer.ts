import middy from '@middy/core';
import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { findSession } from '../domain/sessions/find-session.js';
import { originSecretHeader } from '../route-row.js';
import { table } from '../shared/clients/documents.js';
import { readEnv } from '../shared/env.js';
import { rootLog } from '../shared/log.js';
import { parseCookies, sessionCookieName } from './cookies.js';
import { cameThroughCloudFront } from './http-request.js';

type AuthorizerEvent = Pick<APIGatewayRequestAuthorizerEvent, 'headers' | 'methodArn'>;

/**
 * Allows a connection of the live socket for a signed-in person behind CloudFront, from a page of
 * the console or without a page. A browser sends the cookie on a cross-site WebSocket too, so the
 * Origin header decides.
 */
export function socketAuthorizer(): (
  event: AuthorizerEvent,
  context: Context,
) => Promise<APIGatewayAuthorizerResult> {
  const { PUBLIC_URL } = readEnv({ PUBLIC_URL: z.url() });
  const ownOrigin = new URL(PUBLIC_URL).origin;
  const stack = middy<AuthorizerEvent, APIGatewayAuthorizerResult>()
    .onError((request) => {
      // API Gateway answers 500 when an authorizer throws; a client can act on a refusal.
      rootLog.error('Authorizer failed', { error: request.error ?? undefined });
      request.response = policy('Deny', request.event.methodArn);
    })
    .handler(async ({ headers, methodArn }: AuthorizerEvent) => {
      const secret = permittedSecret(headerReader(headers ?? {}), ownOrigin);
      const live = secret && (await findSession(table, { secret, now: new Date() }));
      if (!live) return policy('Deny', methodArn);
      const { userId, sessionHash } = live.session;
      return policy('Allow', methodArn, { userId, sessionHash });
    });
  return (event, context) => stack(event, context);
}

type HeaderReader = (name: string) => string | undefined;

/** The session secret of a request that came through CloudFront and not from another site. */
function permittedSecret(header: HeaderReader, ownOrigin: string): string | undefined {
  if (!cameThroughCloudFront(header(originSecretHeader))) return undefined;
  if ((header('origin') ?? ownOrigin) !== ownOrigin) return undefined;
  return parseCookies([header('cookie') ?? '']).get(sessionCookieName);
}

// WebSocket APIs keep the case in which the client wrote a header.
function headerReader(headers: Readonly<Record<string, string | undefined>>): HeaderReader {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return (name) => new Map(entries).get(name);
}

function policy(
  effect: 'Allow' | 'Deny',
  methodArn: string,
  context?: Record<string, string>,
): APIGatewayAuthorizerResult {
  return {
    principalId: context?.userId ?? 'anonymous',
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Action: 'execute-api:Invoke', Effect: effect, Resource: methodArn }],
    },
    ...(context ? { context } : {}),
  };
}
