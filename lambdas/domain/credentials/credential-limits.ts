import { createHash } from 'node:crypto';
import type { Table } from '../../shared/table.js';
import { type CredentialOwner, credentialIdOf } from '../records/credentials/credential.js';
import { levelOf, worstOf } from './limit-level.js';
import { CredentialUsage, usageItems } from './usage-row.js';

/** CREDENTIAL_LIMIT_READ_MAX_ROWS: windows that one read returns of one owner. */
const maxLimitRows = 200;
/** Longer references of shared credentials are returned as a hash, which has as many bytes. */
const maxReferenceBytes = 71;

interface OwnedUsage extends CredentialUsage {
  readonly owner: CredentialOwner;
}

/** The newest windows of one owner. Rows that cannot be read are left out. One table call. */
export async function listUsage(table: Table, owner: CredentialOwner): Promise<OwnedUsage[]> {
  const items = await usageItems(table, owner, { limit: maxLimitRows });
  return items.flatMap((item) => {
    const read = CredentialUsage.safeParse(item);
    return read.success ? [{ ...read.data, owner }] : [];
  });
}

/** One credential with its windows, the shortest first. */
export function limitsOf(usage: readonly OwnedUsage[]) {
  const byCredential = Map.groupBy(usage, ({ credentialReference }) => credentialReference);
  return [...byCredential].map(([reference, rows]) => {
    const windows = rows.map(windowView).toSorted((a, b) => lengthOf(a) - lengthOf(b));
    const [newest] = rows.toSorted((a, b) => b.observedAt.localeCompare(a.observedAt));
    if (!newest) throw new Error('A credential without a window');
    return {
      ...nameOf(reference, newest.owner),
      credentialSource: newest.owner.kind,
      provider: newest.window.provider,
      // Every agent calls its provider itself, until there is a proxy.
      providerMode: null,
      agentType: newest.agentType ?? null,
      level: worstOf(windows.map(({ level }) => level)),
      observedAt: newest.observedAt,
      windows,
    };
  });
}

function windowView({ window, level, observedAt, updatedAt }: OwnedUsage) {
  const { windowType, provider, source, status } = window;
  const { utilizationPercent = null, limitAmount = null, remainingAmount = null } = window;
  const { windowMinutes = null, resetsAt = null } = window;
  return {
    ...{ windowType, provider, source, status, level: level ?? levelOf(window) },
    ...{ utilizationPercent, limitAmount, remainingAmount, windowMinutes, resetsAt },
    ...{ observedAt, updatedAt: updatedAt ?? observedAt },
  };
}

const lengthOf = ({ windowMinutes }: { readonly windowMinutes: number | null }): number =>
  windowMinutes ?? Number.POSITIVE_INFINITY;

/** How others may know the credential. */
export function nameOf(reference: string, owner: CredentialOwner) {
  if (owner.kind !== 'user' && Buffer.byteLength(reference) > maxReferenceBytes) {
    const digest = createHash('sha256').update(reference).digest('hex');
    return { credentialReference: `sha256:${digest}`, credentialId: null };
  }
  return { credentialReference: reference, credentialId: credentialIdOf(reference) };
}
