import type { Table } from '../../shared/table.js';
import { type CredentialOwner, credentialsOf } from '../records/credentials/credential.js';
import { limitsOf, listUsage } from './credential-limits.js';
import type { SessionAttribution } from './session-credential.js';

interface LimitsRequest {
  readonly projectId: string;
  readonly userId: string;
  /** The credential of one agent session, null when it has none. Absent: all. */
  readonly only?: SessionAttribution | null;
}

/**
 * The limits that a member sees in a project: of the member's own credentials and of those of the
 * project, never of another member's own. Credentials of the deployment have none, because no agent
 * gets them. One table call for each of the two owners.
 */
export async function limitsInProject(table: Table, { projectId, userId, only }: LimitsRequest) {
  const visible: readonly CredentialOwner[] = [
    { kind: 'user', id: userId },
    { kind: 'project', id: projectId },
  ];
  const owners =
    only === undefined
      ? visible
      : visible.filter((owner) => only !== null && credentialsOf(owner) === credentialsOf(only.owner));
  const usage = (await Promise.all(owners.map((owner) => listUsage(table, owner)))).flat();
  return limitsOf(
    only
      ? usage.filter(({ credentialReference }) => credentialReference === only.credentialReference)
      : usage,
  );
}
