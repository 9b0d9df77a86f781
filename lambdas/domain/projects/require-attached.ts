import { ProjectDetached } from './errors.js';
import type { Project } from './project.js';

/** @throws {ProjectDetached} */
export function requireAttached({ status }: Pick<Project, 'status'>): void {
  if (status === 'detached') throw new ProjectDetached();
}
