import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import {
  type InteractionState,
  interactionKinds,
  interactionStates,
} from '../../../protocol/interactions.js';
import type { Key } from '../records/changes.js';

/**
 * A request of a coding agent that the creator of its chat answers: what may be listed. Request and
 * answer themselves are in `interaction-content`, which is deleted an hour after the end.
 */
export const Interaction = z.object({
  interactionId: z.string(),
  chatId: Ulid,
  projectId: Ulid,
  workspaceId: Ulid,
  agentSessionId: z.string(),
  kind: z.enum(interactionKinds),
  state: z.enum(interactionStates),
  /** Names the waiter on the node, with `runtimeIdentity`. */
  generation: z.string(),
  runtimeIdentity: z.string(),
  payloadHash: z.string(),
  toolCallId: z.optional(z.string()),
  /** Only of a link. */
  elicitationHash: z.optional(z.string()),
  deadlineAt: z.iso.datetime(),
  answeredAt: z.optional(z.iso.datetime()),
  /** Recognises the repeat of an answer, and says nothing of the answer. */
  receipt: z.optional(z.string()),
  /** Attempts to bring the answer to the node. */
  attempts: z.int(),
  nextAttemptAt: z.optional(z.iso.datetime()),
  deliverUntil: z.optional(z.iso.datetime()),
  /** The agent reported that what the link asked for is done. */
  completedAt: z.optional(z.iso.datetime()),
  endedAt: z.optional(z.iso.datetime()),
  version: z.int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Interaction = z.infer<typeof Interaction>;

const minute = 60_000;
export const deliveryWindowMs = 15 * minute;
export const keptContentMs = 60 * minute;
/** From the deadline; later from the answer, and from the end. */
export const expiresInSeconds = 30 * 24 * 60 * 60;

export const interactionKey = (chatId: string, interactionId: string): Key => ({
  pk: `CHAT#${chatId}`,
  sk: `INTERACTION#${interactionId}`,
});

/** The list of a chat in the index `byOwner`: in descending order first what waits. */
export const interactionsOf = (chatId: string): string => `CHAT#${chatId}#INTERACTIONS`;
const openSk = ({ createdAt, interactionId }: Interaction) => `OPEN#${createdAt}#${interactionId}`;
export const endedSk = (interactionId: string, at: Date): string =>
  `ENDED#${at.toISOString()}#${interactionId}`;

/** The partition of the index `byParent` that the sweep reads. */
export const duePartition = 'INTERACTIONS';
/** When the sweep must do something: expire, deliver again, or delete the content. */
export const dueSk = (dueAt: string, interactionId: string): string => `${dueAt}#${interactionId}`;

export const interactionItem = (interaction: Interaction) => ({
  ...interactionKey(interaction.chatId, interaction.interactionId),
  entity: 'interaction',
  schemaVersion: 1,
  ownerPk: interactionsOf(interaction.chatId),
  ownerSk: openSk(interaction),
  parentPk: duePartition,
  parentSk: dueSk(interaction.deadlineAt, interaction.interactionId),
  expiresAt: Math.floor(Date.parse(interaction.deadlineAt) / 1_000) + expiresInSeconds,
  ...interaction,
});

/** The state that clients see: a deadline counts at once, the sweep records it later. */
export const shownState = ({ state, deadlineAt }: Interaction, now: Date): InteractionState =>
  state === 'pending' && Date.parse(deadlineAt) <= now.getTime() ? 'expired' : state;

type DeliveryState = 'pending' | 'confirmed' | 'unconfirmed' | 'interrupted';

/** How the delivery of the answer stands; null before an answer. */
export const deliveryStateOf = ({ state, answeredAt }: Interaction): DeliveryState | null =>
  answeredAt === undefined ? null : (deliveryStates[state] ?? null);

const deliveryStates: { readonly [State in InteractionState]?: DeliveryState } = {
  answered: 'pending',
  delivery_confirmed: 'confirmed',
  delivery_unconfirmed: 'unconfirmed',
  interrupted: 'interrupted',
};
