import { createHash, createHmac } from 'node:crypto';
import { formProblem } from '../../../protocol/interaction-forms.js';
import { answerText, type InteractionDecision, interactionLimits } from '../../../protocol/interactions.js';
import { InvalidRequest } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { retryOnConflict } from '../records/retry-on-conflict.js';
import { transact } from '../records/transact.js';
import type { SecretBox } from '../secrets/sealed-secret.js';
import { interactionNotFound, interactionSettled } from './errors.js';
import {
  deliveryWindowMs,
  dueSk,
  endedSk,
  expiresInSeconds,
  type Interaction,
  shownState,
} from './interaction.js';
import { decisionChange, type Opened, openDetail } from './interaction-content.js';
import { interactionMove, met, retries, unmarkChat } from './interaction-moves.js';

interface Answer {
  readonly answerKey: string;
  readonly decision: InteractionDecision;
}

interface Answering {
  readonly answer: Answer;
  /** The item of `contentKey`. */
  readonly content: unknown;
  readonly now: Date;
}

interface Answered {
  readonly interaction: Interaction;
  /** False for a repeat. */
  readonly isNew: boolean;
}

/**
 * Stores the answer of a person, in one transaction with the end of the chat's marker. A repeat of
 * key and decision changes nothing. One table call, or none.
 *
 * @throws {interactionSettled} it has another answer, or has ended without one
 * @throws {InvalidRequest} the decision does not fit the request
 */
export async function answerInteraction(
  { table, secrets }: { readonly table: Table; readonly secrets: SecretBox },
  seen: Interaction,
  { answer, content, now }: Answering,
): Promise<Answered> {
  const receipt = receiptOf(answer, seen);
  const settled = (interaction: Interaction): Answered | undefined => {
    const state = shownState(interaction, now);
    if (interaction.receipt === receipt) return { interaction, isNew: false };
    if (state !== 'pending') throw interactionSettled(state);
    return undefined;
  };
  const repeated = settled(seen);
  if (repeated) return repeated;
  const { decision } = answer;
  const opened = await openDetail(secrets, seen, content);
  if (!opened) throw interactionNotFound();
  requireFitting(opened, decision);
  const keptDecision = await decisionChange(secrets, seen, decision);
  return retryOnConflict(seen, retries, async (interaction) => {
    const done = settled(interaction);
    if (done) return { result: done };
    const answered = answeredBy(interaction, receipt, now);
    const outcome = await transact(table, [
      { update: answered.move },
      { update: keptDecision },
      unmarkChat(interaction, now),
    ]);
    return outcome.committed
      ? { result: { interaction: answered.interaction, isNew: true } }
      : met(outcome.refusals[0]?.item);
  });
}

function answeredBy(interaction: Interaction, receipt: string, now: Date) {
  const { interactionId, deadlineAt } = interaction;
  const at = now.toISOString();
  const deliverUntil = new Date(now.getTime() + deliveryWindowMs).toISOString();
  const set = {
    state: 'answered',
    answeredAt: at,
    receipt,
    nextAttemptAt: at,
    deliverUntil: deliverUntil < deadlineAt ? deliverUntil : deadlineAt,
  } as const;
  const index = { ownerSk: endedSk(interactionId, now), parentSk: dueSk(at, interactionId) };
  const move = interactionMove(interaction, { set, index, expiresInSeconds, now });
  return { move, interaction: { ...interaction, ...set } };
}

/** Without the client's key, a reader of the table cannot try out answers. */
const receiptOf = ({ answerKey, decision }: Answer, { chatId, interactionId }: Interaction): string =>
  createHmac('sha256', answerKey)
    .update(JSON.stringify([chatId, interactionId, decision.kind, decision.answerHash]))
    .digest('base64url');

/** @throws {InvalidRequest} */
function requireFitting(opened: Opened, decision: InteractionDecision): void {
  const problem = misfit(opened, decision) ?? wrongHash(decision);
  if (problem)
    throw new InvalidRequest('The answer does not fit the request', [
      { field: `decision.${problem.field}`, message: problem.message },
    ]);
}

interface Problem {
  readonly field: string;
  readonly message: string;
}

function misfit(opened: Opened, decision: InteractionDecision): Problem | undefined {
  if (decision.kind === 'declined') return undefined;
  if (opened.kind === 'permission') {
    if (decision.kind !== 'selected_option')
      return { field: 'kind', message: 'Must be selected_option or declined' };
    const isOffered = opened.detail.options.some(({ id }) => id === decision.optionId);
    return isOffered ? undefined : { field: 'optionId', message: 'Must be the id of an option' };
  }
  if (decision.kind !== 'accepted') return { field: 'kind', message: 'Must be accepted or declined' };
  return contentProblem(opened, decision.content);
}

type Accepted = Extract<InteractionDecision, { readonly kind: 'accepted' }>;

function contentProblem(
  opened: Exclude<Opened, { readonly kind: 'permission' }>,
  content: Accepted['content'],
): Problem | undefined {
  if (opened.kind === 'url') return content && { field: 'content', message: 'A link has no values' };
  if (!content) return { field: 'content', message: 'Required' };
  if (Buffer.byteLength(JSON.stringify(content)) > interactionLimits.answerBytes)
    return { field: 'content', message: `Must have at most ${interactionLimits.answerBytes} bytes` };
  const problem = formProblem(opened.detail.schema, content);
  return problem && { field: `content.${problem.name}`, message: problem.message };
}

function wrongHash(decision: InteractionDecision): Problem | undefined {
  const hash = createHash('sha256').update(answerText(decision)).digest('hex');
  return hash === decision.answerHash
    ? undefined
    : { field: 'answerHash', message: 'Must be the SHA-256 of the answer' };
}
