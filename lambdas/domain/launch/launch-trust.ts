import { type AgentType, agentTypes } from '../../../protocol/agent-sessions.js';
import { Member, memberKey } from '../projects/member.js';
import { isOnlyMember, type Project } from '../projects/project.js';
import type { Find } from '../records/batch-items.js';
import type { Key } from '../records/changes.js';
import { credentialKey, providerOfAgent } from '../records/credentials/credential.js';

interface Of {
  readonly projectId: string;
  readonly userId: string;
}

/** How far a launch trusts the layers that other people write. */
export interface LaunchTrust {
  /** Agents of these types would get the person's own credential. */
  readonly personal: ReadonlySet<AgentType>;
  /** Variables that the owner of such a credential accepts from shared layers. */
  readonly confirmed: ReadonlySet<string>;
}

const nothing: ReadonlySet<string> = new Set();

/** Nobody else writes a layer, or no credential of the person is used. */
export const fullTrust: LaunchTrust = { personal: new Set(), confirmed: nothing };

/** Nothing is known of the credential: shared layers choose no address. */
export const noTrust: LaunchTrust = {
  personal: new Set(agentTypes),
  confirmed: nothing,
};

const keysFor = ({ projectId, userId }: Of, agentType: AgentType) => ({
  shared: credentialKey({ kind: 'project', id: projectId }, providerOfAgent[agentType]),
  own: credentialKey({ kind: 'user', id: userId }, providerOfAgent[agentType]),
});

/** The records that decide it, for a caller that reads them with others. */
export const trustKeys = (of: Of): readonly Key[] => [
  memberKey(of.projectId, of.userId),
  ...agentTypes.flatMap((agentType) => Object.values(keysFor(of, agentType))),
];

/**
 * A credential that is stored or removed after the launch changes the answer:
 * `resolveAgentCredential` compares the launch with the credential that the agent gets.
 */
export function launchTrust(find: Find, { userId }: Pick<Of, 'userId'>, project: Project): LaunchTrust {
  if (isOnlyMember(project, userId)) return fullTrust;
  const { projectId } = project;
  const isPersonal = (agentType: AgentType): boolean => {
    const { shared, own } = keysFor({ projectId, userId }, agentType);
    return find(shared) === undefined && find(own) !== undefined;
  };
  const member = find(memberKey(projectId, userId));
  const confirmed = new Set(member && Member.parse(member).confirmedVariables);
  return { personal: new Set(agentTypes.filter(isPersonal)), confirmed };
}
