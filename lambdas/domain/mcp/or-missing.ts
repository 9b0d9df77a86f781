import { NotFound } from '../../shared/errors.js';

/** Null for a missing record, unless it is required. */
export const orMissing = <Found>(isRequired: boolean, finding: Promise<Found>): Promise<Found | null> =>
  finding.catch((error: unknown) => {
    if (isRequired || !(error instanceof NotFound)) throw error;
    return null;
  });
