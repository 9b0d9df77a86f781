import { deliveryStateOf, type Interaction, shownState } from '../../domain/interactions/interaction.js';

/** The fields for every member. */
export const waitingView = (interaction: Interaction, now: Date) => {
  const { interactionId, kind, createdAt, deadlineAt } = interaction;
  return { interactionId, kind, state: shownState(interaction, now), createdAt, deadlineAt };
};

/** All fields of a list, for the creator of the chat. */
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
