// POST /api/push-subscriptions
import * as z from 'zod/mini';
import { addSubscription } from '../../domain/push/change-subscriptions.js';
import { sessionRoute } from '../../edge/session-route.js';
import { readEnv } from '../../shared/env.js';
import { subscribePush } from './contract.js';
import { pushView } from './push-view.js';

const env = readEnv({ LOCAL_PUSH_SERVICE: z.optional(z.url()) });

export const handler = sessionRoute(subscribePush, async ({ body, user, table, now }) => {
  const { userId, sessionHash } = user;
  const { endpoint, keys } = body;
  const asked = { userId, sessionHash, endpoint, keys, local: env.LOCAL_PUSH_SERVICE, now };
  return { status: 200, body: pushView(await addSubscription(table, asked), sessionHash) };
});
