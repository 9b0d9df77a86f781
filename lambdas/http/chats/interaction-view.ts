import { deliveryStateOf, type Interaction, shownState } from '../../domain/interactions/interaction.js';

/** What every member may see of an interaction. */
export const waitingView = (interaction: Interaction, now: Date) => {
  const { interactionId, kind, createdAt, deadlineAt } = interaction;
  return { interactionId, kind, state: shownState(interaction, now), createdAt, deadlineAt };
};

/** What its creator sees in lists. */
export const summaryView = (interaction: Interaction, now: Date) => {
  const { interactionId, updatedAt, answeredAt = null, toolCallId = null, completedAt = null } = interaction;
  return {
    ...waitingView(interaction, now),
    updatedAt,
    answeredAt,
    deliveryState: deliveryStateOf(interaction),
    attentionMarkerId: interactionId,
    toolCallId,
    completedAt,
  };
};
