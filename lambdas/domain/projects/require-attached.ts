import { projectDetached } from './errors.js';
import type { Project } from './project.js';

/** @throws {projectDetached} */
export function requireAttached({ status }: Pick<Project, 'status'>): void {
  if (status === 'detached') throw projectDetached();
}
