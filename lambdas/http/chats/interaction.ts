// GET /api/projects/{projectId}/sessions/{sessionId}/interactions/{interactionId}
import { openDetail } from '../../domain/interactions/interaction-content.js';
import { secretBox } from '../../edge/secret-box.js';
import { interaction as contract } from './interaction-contract.js';
import { summaryView } from './interaction-view.js';
import { ownInteractionRoute } from './own-interaction-route.js';

export const handler = ownInteractionRoute('chat.readInteraction', contract, async (call) => {
  const { interaction, content, now } = call;
  const opened = await openDetail(secretBox, interaction, content);
  return {
    status: 200,
    headers: { 'cache-control': 'private, no-store' },
    body: { summary: summaryView(interaction, now), detail: opened?.detail ?? null },
  };
});
