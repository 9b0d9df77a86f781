import type { Cloned } from '../git/clone.js';
import type { ProvisionContext } from './runtime.js';

/** Writes to the boot log what people should know of a clone. */
export function reportNotes({ notes }: Cloned, { report }: Pick<ProvisionContext, 'report'>): void {
  for (const message of notes) report({ step: 'git_notes', status: 'completed', message });
}
