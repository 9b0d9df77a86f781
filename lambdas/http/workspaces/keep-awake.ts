// POST /api/workspaces/{workspaceId}/keep-awake
import * as z from 'zod/mini';
import { keepAwake as keep } from '../../domain/workspaces/keep-awake.js';
import { sessionRoute } from '../../edge/session-route.js';
import { readEnv } from '../../shared/env.js';
import { keepAwake } from './contract.js';
import { workspaceDetail } from './workspace-view.js';

const env = readEnv({ WORKSPACE_URL_TEMPLATE: z.string() });

export const handler = sessionRoute(keepAwake, async ({ params, body, user, table, now }) => {
  const wish = { workspaceId: params.workspaceId, userId: user.userId, minutes: body.minutes, now };
  return { status: 200, body: workspaceDetail(await keep(table, wish), env.WORKSPACE_URL_TEMPLATE) };
});
