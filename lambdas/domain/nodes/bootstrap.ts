import { randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import type { BootstrapRequest } from '../../../protocol/boot.js';
import { BootEnv, bootEnvPath, bootstrapTokenLifetimeSeconds, warmPath } from '../../../protocol/boot.js';
import { Ulid } from '../../../protocol/ids.js';
import { hashText } from '../../shared/hash-text.js';
import type { Table } from '../../shared/table.js';
import { changeItem, putItem } from '../records/change-item.js';
import { InvalidToken } from '../tokens/errors.js';

const Bootstrap = z.object({
  tokenHash: z.string(),
  /** The workspace that the node is launched for; its saga gets a heartbeat. */
  launchedFor: Ulid,
  redemptionId: z.optional(z.string()),
  /** Epoch seconds. */
  expiresAt: z.int(),
});

const bootstrapKey = (nodeId: string) => ({ pk: `NODE#${nodeId}`, sk: 'BOOTSTRAP' });

export const newBootstrapToken = (): string => randomBytes(32).toString('base64url');

interface BootstrapIssue {
  readonly nodeId: string;
  readonly launchedFor: string;
  readonly token: string;
  readonly now: Date;
}

/**
 * Stores the token that this node may redeem once, and replaces an earlier one. False once an
 * instance has redeemed the earlier one: it runs, and no second instance may start. One table
 * call.
 */
export async function issueBootstrapToken(
  table: Table,
  { nodeId, launchedFor, token, now }: BootstrapIssue,
): Promise<boolean> {
  const item = {
    ...bootstrapKey(nodeId),
    entity: 'bootstrap',
    schemaVersion: 1,
    tokenHash: hashText(token),
    launchedFor,
    expiresAt: Math.floor(now.getTime() / 1000) + bootstrapTokenLifetimeSeconds,
  };
  return (await putItem(table, item, { absent: ['redemptionId'] })).changed;
}

/**
 * Redeems a bootstrap token. The first redemption binds it; the same redemption may be repeated
 * while the token lives. Unknown, wrong, expired and used tokens have the same error. One table
 * call.
 *
 * @throws {InvalidToken}
 */
export async function redeemBootstrapToken(
  table: Table,
  { nodeId, token, redemptionId }: BootstrapRequest,
  now: Date,
): Promise<{ readonly launchedFor: string }> {
  const tokenHash = hashText(token);
  const outcome = await changeItem(table, {
    key: bootstrapKey(nodeId),
    set: { redemptionId },
    when: {
      equals: { tokenHash },
      absent: ['redemptionId'],
      after: { expiresAt: Math.floor(now.getTime() / 1000) },
    },
  });
  const stored = Bootstrap.safeParse(outcome.item);
  if (!stored.success) throw new InvalidToken();
  if (outcome.changed) return stored.data;
  const repeated =
    isSame(stored.data.tokenHash, tokenHash) &&
    stored.data.redemptionId === redemptionId &&
    stored.data.expiresAt > now.getTime() / 1000;
  if (!repeated) throw new InvalidToken();
  return stored.data;
}

// Both are hashes, so timing would reveal nothing; constant time costs nothing either.
function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

/** User data of a new instance: cloud-init writes the file that the unit of the agent reads. */
export function userData(env: BootEnv): string {
  const lines = Object.entries(BootEnv.parse(env)).map(([name, value]) => `${name}=${value}\n`);
  return cloudConfig(bootEnvPath, lines.join(''));
}

function cloudConfig(path: string, content: string): string {
  const config = { write_files: [{ path, owner: 'root:root', permissions: '0600', content }] };
  return `#cloud-config\n${JSON.stringify(config)}\n`;
}

/** User data of a machine that waits for its node: it names no node and holds no token. */
export const warmUserData = cloudConfig(warmPath, '');
