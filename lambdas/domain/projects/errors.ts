import { Conflict, Forbidden } from '../../shared/errors.js';
import type { Refusal } from '../records/transact.js';
import { maxProjectsPerUser } from './project.js';

const taken = (field: 'name' | 'repository', code: string, existingId: string | undefined) => {
  const message = `You already have a project with this ${field}. Use that project, or choose another ${field}.`;
  return new Conflict(message, { code, details: [{ field, message, existingId }] });
};

/** `existingId` is the project of the same owner that has the name. */
export const projectNameTaken = (existingId?: string) => taken('name', 'PROJECT_NAME_TAKEN', existingId);
export const projectRepositoryTaken = (existingId?: string) =>
  taken('repository', 'PROJECT_REPOSITORY_TAKEN', existingId);

/** The project of a claim on a name or repository that refused a write. */
export const claimedBy = (refusal: Refusal): string | undefined => {
  const id = refusal.item?.projectId;
  return typeof id === 'string' ? id : undefined;
};

export const projectLimitReached = () =>
  new Conflict(
    `You have ${maxProjectsPerUser} projects (limit ${maxProjectsPerUser}). Delete one, or transfer one to another member.`,
    { code: 'PROJECT_LIMIT_REACHED' },
  );

/** Another writer changed the project first. */
export const projectChanged = () =>
  new Conflict(
    'Another request changed the project or its members. Read the project again and repeat the call.',
    {
      code: 'VERSION_CONFLICT',
    },
  );

export const projectDetached = () =>
  new Conflict('The project is detached. Nothing new can start in a detached project.', {
    code: 'PROJECT_DETACHED',
  });

/** The workspace is the caller's own, but the caller may no longer work in its project. */
export const membershipEnded = () => new Forbidden('You can no longer work in the project of this workspace');

export const capabilityMissing = (capability: string) =>
  new Forbidden(`You need the capability ${capability} in this project`);
