import type { Write } from '../records/transact.js';
import { type Member, memberKey, ProjectSummary } from './member.js';
import { type Project, projectKey, unchangedProject } from './project.js';

/** The change of a project, if it still is what was read, and of what its members' lists show of it. */
export const projectWrites = (
  before: Project,
  after: Project,
  members: readonly Member[],
): readonly Write[] => [projectWrite(before, after), ...summaryWrites(members, after)];

function projectWrite(before: Project, after: Project): Write {
  const { projectId, name, normalizedName, description, defaultBranch, settings, status, ...rest } = after;
  const { version, updatedAt } = rest;
  return {
    update: {
      key: projectKey(projectId),
      set: { name, normalizedName, description, defaultBranch, settings, status, version, updatedAt },
      when: unchangedProject(before),
    },
  };
}

/** Whoever joined or left since they were listed has changed the project as well. */
const summaryWrites = (members: readonly Member[], project: Project): readonly Write[] =>
  members.map(({ projectId, userId }) => ({
    update: {
      key: memberKey(projectId, userId),
      set: { project: ProjectSummary.parse(project) },
      when: { exists: true },
    },
  }));
