import { type FieldError, InvalidRequest, NotFound } from '../../shared/errors.js';
import { requireCovered } from '../code-host/authorise-repository.js';
import { capabilityMissing } from '../projects/errors.js';
import { capabilitiesOf, type Member } from '../projects/member.js';
import { requireAttached } from '../projects/require-attached.js';
import type { Creator } from './load-creator.js';

export interface Asked {
  readonly projectId?: string | undefined;
  readonly installationId?: string | undefined;
  readonly repository?: string | undefined;
  readonly branch?: string | undefined;
}

export interface Chosen {
  readonly installationId: string;
  readonly repository: string;
  /** The repository's own default when absent. */
  readonly branch: string | undefined;
}

/**
 * Which repository a new workspace is of: the project's, or the one that was named together with an installation of
 * the caller's own. Whether the caller can see it is still to be asked of the code host.
 *
 * @throws {NotFound | capabilityMissing | ProjectDetached | InvalidRequest}
 */
export function chooseRepository(asked: Asked, creator: Creator): Chosen {
  return asked.projectId === undefined ? ofCaller(asked, creator) : ofProject(asked, creator.member);
}

function ofProject(asked: Asked, member: Member | undefined): Chosen {
  if (member?.status !== 'active') throw new NotFound('Project');
  if (!capabilitiesOf[member.role].includes('workspace:write')) throw capabilityMissing('workspace:write');
  requireAttached(member.project);
  const { installationId, repository, defaultBranch } = member.project;
  const differing: FieldError[] = [];
  if (asked.installationId !== undefined && asked.installationId !== installationId) {
    differing.push({ field: 'installationId', message: 'The project has another one; leave it out' });
  }
  if (asked.repository !== undefined && asked.repository.toLowerCase() !== repository.toLowerCase()) {
    differing.push({ field: 'repository', message: 'The project has another one; leave it out' });
  }
  if (differing.length > 0) throw new InvalidRequest('The request is invalid', differing);
  return { installationId, repository, branch: asked.branch ?? defaultBranch };
}

function ofCaller({ installationId, repository, branch }: Asked, { installation }: Creator): Chosen {
  if (installationId === undefined || repository === undefined) {
    throw new InvalidRequest('The request is invalid', [
      ...required('installationId', installationId),
      ...required('repository', repository),
    ]);
  }
  // Without it anybody's installation could be made to sign a token for a repository they can merely read.
  if (!installation) throw new NotFound('Installation');
  requireCovered(installation, repository);
  return { installationId, repository, branch };
}

const required = (name: string, value: string | undefined): FieldError[] =>
  value === undefined ? [{ field: name, message: 'Required without projectId' }] : [];
