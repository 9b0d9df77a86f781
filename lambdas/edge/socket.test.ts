import type { Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { type SocketCall, socketRoute } from './socket.js';

const context = { awsRequestId: 'request' } as Context;

type SocketEvent = Parameters<ReturnType<typeof socketRoute>>[0];
const identity = { userId: 'u', sessionHash: 'h', principalId: 'u' };

// A socket handler reads nothing else of an event.
const event = (overrides: object = {}, authorizer: unknown = identity) =>
  ({
    requestContext: { connectionId: 'c', routeKey: 'subscribe', eventType: 'MESSAGE', authorizer },
    ...overrides,
  }) as unknown as SocketEvent;

describe('a route of the live socket', () => {
  it('receives the connection, its person and its message', async () => {
    const calls: SocketCall[] = [];
    const handler = socketRoute(async (call) => {
      calls.push(call);
    });

    const reply = await handler(event({ body: '{"topic":"t"}' }), context);

    expect(reply).toEqual({ statusCode: 200 });
    expect(calls).toMatchObject([
      {
        connectionId: 'c',
        routeKey: 'subscribe',
        user: { userId: 'u', sessionHash: 'h' },
        text: '{"topic":"t"}',
      },
    ]);
  });

  it('has an empty text where there is no message', async () => {
    const texts: string[] = [];
    await socketRoute(async ({ text }) => {
      texts.push(text);
    })(event(), context);

    expect(texts).toEqual(['']);
  });

  it.each([[undefined], [{}], [{ userId: 'u' }], [{ userId: 1, sessionHash: 'h' }]])(
    'does not run for whom the authorizer has not let in: %j',
    async (authorizer) => {
      let runs = 0;
      const handler = socketRoute(async () => {
        runs += 1;
      });
      const { requestContext } = event();
      const refused = { ...event(), requestContext: { ...requestContext, authorizer } };

      expect(await handler(refused, context)).toEqual({ statusCode: 500 });
      expect(runs).toBe(0);
    },
  );

  it.each(['CONNECT', 'DISCONNECT'] as const)('takes no message for a %s', async (occasion) => {
    let runs = 0;
    const handler = socketRoute(async () => {
      runs += 1;
    }, occasion);

    expect(await handler(event(), context)).toEqual({ statusCode: 400 });
    expect(runs).toBe(0);
  });

  it('answers a failure with its status and not a word', async () => {
    const handler = socketRoute(async () => {
      throw new Error('the password is swordfish');
    });

    expect(await handler(event(), context)).toEqual({ statusCode: 500 });
  });
});
