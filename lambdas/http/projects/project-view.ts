import { capabilitiesOf, type Member } from '../../domain/projects/member.js';
import type { Project } from '../../domain/projects/project.js';

/** A project as a member of it sees it. */
export const projectView = (project: Project, { role }: Member) => ({
  ...project,
  id: project.projectId,
  repoProvider: 'github' as const,
  role,
  capabilities: [...capabilitiesOf[role]],
});
