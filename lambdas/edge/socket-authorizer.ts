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
 * Lets a connection of the live socket begin for a signed-in person behind CloudFront, from a page
 * of ours or from no page at all: a browser sends the cookie on a cross-site WebSocket too, and
 * only Origin tells.
 */
export function socketAuthorizer(): (
  event: AuthorizerEvent,
  context: Context,
) => Promise<APIGatewayAuthorizerResult> {
  const { PUBLIC_URL } = readEnv({ PUBLIC_URL: z.url() });
  const ownOrigin = new URL(PUBLIC_URL).origin;
  const stack = middy<AuthorizerEvent, APIGatewayAuthorizerResult>()
    .onError((request) => {
      // An authorizer that throws makes API Gateway answer 500; refusing is what a client can act
      // on.
      rootLog.error('Authorizer failed', { error: request.error ?? undefined });
      request.response = policy('Deny', request.event.methodArn);
    })
    // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: guards in the order of the decision, each with its own outcome
    .handler(async ({ headers, methodArn }: AuthorizerEvent) => {
      const header = headerReader(headers ?? {});
      if (!cameThroughCloudFront(header(originSecretHeader))) return policy('Deny', methodArn);
      const origin = header('origin');
      const secret = parseCookies([header('cookie') ?? '']).get(sessionCookieName);
      if (!secret || (origin !== undefined && origin !== ownOrigin)) return policy('Deny', methodArn);

      const live = await findSession(table, { secret, now: new Date() });
      if (!live) return policy('Deny', methodArn);
      const { userId, sessionHash } = live.session;
      return policy('Allow', methodArn, { userId, sessionHash });
    });
  return (event, context) => stack(event, context);
}

// WebSocket APIs keep the case in which the client wrote a header.
function headerReader(headers: Readonly<Record<string, string | undefined>>) {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return (name: string): string | undefined => new Map(entries).get(name);
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
