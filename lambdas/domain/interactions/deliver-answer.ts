import { interactionRetryDelaysMs, interactionSteadyDelayMs } from '../../../protocol/interactions.js';
import type { SigningKeys } from '../../shared/signing-keys.js';
import type { Table } from '../../shared/table.js';
import { AgentSession, agentSessionKey } from '../agent-sessions/agent-session.js';
import { answerOnNode } from '../node-client/interaction-calls.js';
import { nodeTimeouts } from '../node-client/node-access.js';
import { addressOf } from '../node-client/node-address.js';
import { NodeRefused, NodeUnreachable } from '../nodes/errors.js';
import { findNode } from '../nodes/find-node.js';
import { getItems } from '../records/batch-items.js';
import { changeItem } from '../records/change-item.js';
import { transact } from '../records/transact.js';
import type { SecretBox } from '../secrets/sealed-secret.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import { isUsable } from '../workspaces/workspace-status.js';
import { dueSk, Interaction, interactionKey } from './interaction.js';
import { contentKey, openDecision } from './interaction-content.js';
import { endWrites, interactionMove } from './interaction-moves.js';

interface DeliverDeps {
  readonly keys: SigningKeys;
  readonly secrets: SecretBox;
  readonly now: Date;
}

/** Clocks of functions differ a little. */
const earlyMs = 500;

/**
 * One attempt to bring an answer to the agent that waits for it. Returns when the next one is due;
 * null when the interaction has ended or another attempt is scheduled. At most five table calls.
 */
export async function deliverAnswer(
  table: Table,
  deps: DeliverDeps,
  named: { readonly chatId: string; readonly interactionId: string },
): Promise<Date | null> {
  const keys = { interaction: interactionKey(named.chatId, named.interactionId), content: contentKey(named) };
  const find = await getItems(table, Object.values(keys));
  const item = find(keys.interaction);
  const interaction = item && Interaction.parse(item);
  if (!interaction || !isDue(interaction, deps.now)) return null;
  const claimed = await claimAttempt(table, interaction, deps.now);
  if (!claimed) return null;
  const end = await attempt(table, deps, { interaction: claimed.interaction, content: find(keys.content) });
  if (!end) return claimed.next;
  // A concurrent change is another attempt, whose result counts as well.
  await transact(table, endWrites(claimed.interaction, end, deps.now));
  return null;
}

function isDue({ state, nextAttemptAt }: Interaction, now: Date): boolean {
  return state === 'answered' && Date.parse(nextAttemptAt ?? '') <= now.getTime() + earlyMs;
}

/** Schedules the next attempt before this one begins: a crash loses none. */
async function claimAttempt(table: Table, interaction: Interaction, now: Date) {
  const { attempts, interactionId } = interaction;
  const delay = interactionRetryDelaysMs[attempts] ?? interactionSteadyDelayMs;
  const next = new Date(now.getTime() + delay);
  const nextAttemptAt = next.toISOString();
  const { changed, item } = await changeItem(
    table,
    interactionMove(interaction, {
      set: { nextAttemptAt },
      increment: { attempts: 1 },
      index: { parentSk: dueSk(nextAttemptAt, interactionId) },
      now,
    }),
  );
  return changed ? { interaction: Interaction.parse(item), next } : undefined;
}

interface Attempted {
  readonly interaction: Interaction;
  readonly content: unknown;
}

type End = 'delivery_confirmed' | 'delivery_unconfirmed' | 'interrupted';

/** The state that ends the delivery; undefined for another attempt. */
async function attempt(
  table: Table,
  { keys, secrets, now }: DeliverDeps,
  { interaction, content }: Attempted,
): Promise<End | undefined> {
  const decision = await openDecision(secrets, interaction, content);
  if (!decision || Date.parse(interaction.deliverUntil ?? '') <= now.getTime()) return 'delivery_unconfirmed';
  const target = await findTarget(table, interaction);
  const address = target && addressOf(await findNode(table, target.nodeId));
  if (!target || !address) return 'interrupted';
  const access = { keys, address, now, timeoutMs: nodeTimeouts.request };
  return answerOnNode(access, target.session, { interaction, decision }).then(
    ({ status }) => resultOf[status],
    endOfFailure,
  );
}

/** Nothing certain is known of a node that does not answer: undefined for another attempt. */
function endOfFailure(error: unknown): End | undefined {
  if (error instanceof NodeUnreachable) return undefined;
  if (!(error instanceof NodeRefused)) throw error;
  return error.status === 404 ? 'interrupted' : 'delivery_unconfirmed';
}

const resultOf = {
  consumed: 'delivery_confirmed',
  duplicate: 'delivery_confirmed',
  stale_generation: 'interrupted',
  no_waiter: 'interrupted',
  /** The agent got another answer. */
  conflict: 'delivery_unconfirmed',
} as const satisfies Readonly<Record<string, End>>;

/** The agent session and its workspace, while both run. One table call. */
async function findTarget(table: Table, { workspaceId, agentSessionId }: Interaction) {
  const keys = {
    workspace: workspaceKey(workspaceId),
    session: agentSessionKey(workspaceId, agentSessionId),
  };
  const find = await getItems(table, Object.values(keys));
  const [found, running] = [find(keys.workspace), find(keys.session)];
  const workspace = found && Workspace.parse(found);
  const session = running && AgentSession.parse(running);
  if (!workspace?.nodeId || !isUsable(workspace.status)) return undefined;
  return session?.status === 'running' ? { nodeId: workspace.nodeId, session } : undefined;
}
