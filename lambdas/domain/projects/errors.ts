import { Conflict, Forbidden } from '../../shared/errors.js';
import { maxProjectsPerUser } from './project.js';

const taken = (field: 'name' | 'repository', code: string) => {
  const message = `You already have a project with this ${field}`;
  return new Conflict(message, { code, details: [{ field, message }] });
};

export const projectNameTaken = () => taken('name', 'PROJECT_NAME_TAKEN');
export const projectRepositoryTaken = () => taken('repository', 'PROJECT_REPOSITORY_TAKEN');

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
