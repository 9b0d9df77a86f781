// POST /api/projects/{projectId}/sessions/{sessionId}/interactions/{interactionId}/answer
import * as z from 'zod/mini';
import { answerInteraction as answer } from '../../domain/interactions/answer-interaction.js';
import { trySendDelivery } from '../../domain/interactions/delivery-wake-up.js';
import { requireConsole } from '../../edge/http-request.js';
import { secretBox as secrets } from '../../edge/secret-box.js';
import { wakeUpQueues } from '../../edge/wake-up-queues.js';
import { readEnv } from '../../shared/env.js';
import { answerInteraction } from './interaction-contract.js';
import { ownInteractionRoute } from './own-interaction-route.js';

const env = readEnv({ PUBLIC_URL: z.url() });

export const handler = ownInteractionRoute('chat.answerInteraction', answerInteraction, async (call) => {
  const { request, interaction, content, body, table, now, log } = call;
  requireConsole(request, env.PUBLIC_URL);
  const { chatId, interactionId } = interaction;
  const answered = await answer({ table, secrets }, interaction, { answer: body, content, now });
  if (answered.isNew) await trySendDelivery({ wakeUpQueues, log }, { chatId, interactionId, now });
  return { status: 200, body: { accepted: true, state: answered.interaction.state } };
});
