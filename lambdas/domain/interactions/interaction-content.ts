import * as z from 'zod/mini';
import {
  FormDetail,
  InteractionDecision,
  type InteractionDetail,
  type InteractionKind,
  PermissionDetail,
  UrlDetail,
} from '../../../protocol/interactions.js';
import type { Change, Key } from '../records/changes.js';
import type { Write } from '../records/transact.js';
import { SealedSecret, type SecretBox } from '../secrets/sealed-secret.js';
import { deliveryWindowMs, type Interaction, keptContentMs } from './interaction.js';

/** Request and answer of an interaction, both sealed. Deleted an hour after its end. */
const InteractionContent = z.object({ detail: SealedSecret, decision: z.optional(SealedSecret) });
type InteractionContent = z.infer<typeof InteractionContent>;

type Named = Pick<Interaction, 'chatId' | 'interactionId'>;

export const contentKey = ({ chatId, interactionId }: Named): Key => ({
  pk: `CHAT#${chatId}`,
  sk: `INTERACTIONCONTENT#${interactionId}`,
});

const contextOf = ({ chatId, interactionId }: Named, part: keyof InteractionContent) => ({
  owner: `CHAT#${chatId}`,
  record: `interaction#${interactionId}#${part}`,
});

/** The put of a new request. It expires by itself if nothing ever ends the interaction. */
export async function putContent(
  secrets: SecretBox,
  interaction: Interaction,
  detail: InteractionDetail,
): Promise<Write> {
  const latest = Date.parse(interaction.deadlineAt) + deliveryWindowMs + keptContentMs;
  return {
    put: {
      ...contentKey(interaction),
      entity: 'interaction-content',
      schemaVersion: 1,
      detail: await secrets.seal(JSON.stringify(detail), contextOf(interaction, 'detail')),
      expiresAt: Math.floor(latest / 1_000),
    },
    when: { exists: false },
  };
}

export async function decisionChange(
  secrets: SecretBox,
  interaction: Named,
  decision: InteractionDecision,
): Promise<Change> {
  const sealed = await secrets.seal(JSON.stringify(decision), contextOf(interaction, 'decision'));
  return { key: contentKey(interaction), set: { decision: sealed }, when: { exists: true } };
}

type DetailOf = {
  readonly permission: z.infer<typeof PermissionDetail>;
  readonly form: z.infer<typeof FormDetail>;
  readonly url: z.infer<typeof UrlDetail>;
};
/** A request with its kind. */
export type Opened = {
  [Kind in InteractionKind]: { readonly kind: Kind; readonly detail: DetailOf[Kind] };
}[InteractionKind];

/** The request; undefined when it was deleted. */
export async function openDetail(
  secrets: SecretBox,
  { kind, ...named }: Named & Pick<Interaction, 'kind'>,
  item: unknown,
): Promise<Opened | undefined> {
  if (!item) return undefined;
  const { detail } = InteractionContent.parse(item);
  const text = JSON.parse(await secrets.open(detail, contextOf(named, 'detail')));
  if (kind === 'permission') return { kind, detail: PermissionDetail.parse(text) };
  return kind === 'form' ? { kind, detail: FormDetail.parse(text) } : { kind, detail: UrlDetail.parse(text) };
}

/** The answer; undefined before it, and when it was deleted. */
export async function openDecision(
  secrets: SecretBox,
  interaction: Named,
  item: unknown,
): Promise<InteractionDecision | undefined> {
  const { decision } = item ? InteractionContent.parse(item) : {};
  if (!decision) return undefined;
  const text = await secrets.open(decision, contextOf(interaction, 'decision'));
  return InteractionDecision.parse(JSON.parse(text));
}
