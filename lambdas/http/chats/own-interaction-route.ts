import type { z } from 'zod/mini';
import { InteractionId } from '../../../protocol/interactions.js';
import { interactionNotFound } from '../../domain/interactions/errors.js';
import { Interaction, interactionKey } from '../../domain/interactions/interaction.js';
import { contentKey } from '../../domain/interactions/interaction-content.js';
import type { Action } from '../../domain/policy/actions.js';
import { allow } from '../../domain/policy/allow.js';
import { type ByChat, chatRoute } from '../../edge/chat-route.js';
import type { Contract } from '../../edge/contract.js';
import { pathId } from '../../edge/parse-request.js';
import type { Handle, HttpHandler, ReplyOf } from '../../edge/route.js';

type OnInteraction = Extract<Action, `chat.${'read' | 'answer'}Interaction`>;
type InteractionContract = Contract<z.ZodMiniType<{ sessionId: string; interactionId: string }>>;
type ByInteraction = ByChat & {
  readonly interaction: Interaction;
  /** The item of `contentKey`. */
  readonly content: unknown;
};

/**
 * A route that does this to an interaction of a chat, for the creator of the chat. One table call.
 */
export function ownInteractionRoute<C extends InteractionContract, const Out extends ReplyOf<C>>(
  action: OnInteraction,
  contract: C,
  handle: Handle<C, ByInteraction, Out>,
): HttpHandler {
  return chatRoute<C, Out>(
    contract,
    (call) => {
      const { chat, user, member, find } = call;
      const { chatId } = allow(action, { userId: user.userId, member }, chat);
      const { interactionId } = call.params;
      const item = find(interactionKey(chatId, interactionId));
      if (!item) throw interactionNotFound();
      const content = find(contentKey({ chatId, interactionId }));
      return handle({ ...call, interaction: Interaction.parse(item), content });
    },
    (_projectId, chatId, event) => {
      const interactionId = pathId(event, 'interactionId', InteractionId);
      return [interactionKey(chatId, interactionId), contentKey({ chatId, interactionId })];
    },
  );
}
