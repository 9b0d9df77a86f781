import type { AgentType } from '../../../protocol/agent-sessions.js';
import { NotFound } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { putItem } from '../records/change-item.js';
import { getItems } from '../records/get-items.js';
import type { Workspace } from '../workspaces/workspace.js';
import { Credential, type CredentialOwner, credentialKey, credentialReference } from './credential.js';
import { type CredentialUse, credentialUseItem } from './credential-use.js';
import { providerOfAgent } from './providers.js';

/**
 * The project's credential comes before the person's own. The platform's is never among them: whatever a workspace is given,
 * its owner can read.
 */
function ownersFor({ userId, projectId }: Pick<Workspace, 'userId' | 'projectId'>): CredentialOwner[] {
  return [...(projectId ? [{ kind: 'project' as const, id: projectId }] : []), { kind: 'user', id: userId }];
}

/**
 * The credential with which this kind of agent works in the workspace. One table call.
 *
 * @throws {NotFound} nobody has stored one
 */
export async function resolveAgentCredential(
  table: Table,
  workspace: Pick<Workspace, 'userId' | 'projectId'>,
  agentType: AgentType,
): Promise<Credential> {
  const provider = providerOfAgent[agentType];
  const keys = ownersFor(workspace).map((owner) => credentialKey(owner, provider));
  const find = await getItems(table, keys);
  const first = keys.map(find).find((item) => item !== undefined);
  if (!first) throw new NotFound(`Credential for ${provider}`);
  return Credential.parse(first);
}

/** One table call; the last session wins, as it is the one that runs. */
export async function recordCredentialUse(
  table: Table,
  { owner, provider, generation, credentialId }: Credential,
  by: Pick<CredentialUse, 'workspaceId' | 'agentSessionId'> & { readonly now: Date },
): Promise<void> {
  const use = credentialUseItem({
    workspaceId: by.workspaceId,
    agentSessionId: by.agentSessionId,
    provider,
    owner,
    credentialReference: credentialReference({ credentialId }),
    generation,
    usedAt: by.now.toISOString(),
    windows: [],
  });
  await putItem(table, use, {});
}
