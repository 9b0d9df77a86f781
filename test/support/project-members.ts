import { createProject } from '../../lambdas/domain/projects/create-project.js';
import { type MemberRole, memberItem } from '../../lambdas/domain/projects/member.js';
import type { Project } from '../../lambdas/domain/projects/project.js';
import { findUser } from '../../lambdas/domain/users/find-user.js';
import { type User, userItem } from '../../lambdas/domain/users/user.js';
import { newId } from '../../lambdas/shared/ids.js';
import type { Table } from '../../lambdas/shared/table.js';
import { aProject, putItem } from './project.js';
import { type SignedIn, signIn } from './sign-in.js';

export function aUser(overrides: Partial<User> = {}): User {
  const at = '2026-11-21T10:00:00.000Z';
  return {
    userId: newId(),
    role: 'user',
    status: 'active',
    githubId: newId(),
    login: 'octo',
    name: 'Octo Cat',
    email: null,
    avatarUrl: null,
    projectCount: 0,
    createdAt: at,
    updatedAt: at,
    ...overrides,
  };
}

/** Somebody who is signed in, and what their requests carry. */
export interface Person extends SignedIn {
  readonly cookies: readonly string[];
}

export async function aPerson(table: Table, overrides: Partial<User> = {}): Promise<Person> {
  const person = await signIn(table);
  await putItem(table, userItem(aUser({ ...overrides, userId: person.userId })));
  return { ...person, cookies: [person.cookie] };
}

/** A project as somebody's request would have made it. */
export async function projectOf(
  table: Table,
  { userId }: Pick<Person, 'userId'>,
  overrides: Partial<Project> = {},
): Promise<Project> {
  const draft = aProject({ userId, ...overrides });
  const owner = await findUser(table, userId);
  return (await createProject(table, draft, { owner, now: new Date() })).project;
}

/** Somebody with this role in a project. */
export async function memberOf(table: Table, project: Project, role: MemberRole): Promise<Person> {
  const person = await aPerson(table);
  const { projectId, createdAt: joinedAt } = project;
  const member = { projectId, userId: person.userId, role, status: 'active' as const, project, joinedAt };
  await putItem(table, memberItem(member));
  return person;
}
