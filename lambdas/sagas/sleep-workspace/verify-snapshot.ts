// sleep-workspace: VerifySnapshot
import { verifySnapshot } from '../../domain/snapshots/verify-snapshot.js';
import { step } from '../../edge/step.js';
import { uploads } from '../../shared/clients/uploads.js';
import { SleepInput } from '../inputs.js';

export const handler = step(SleepInput, ({ input, table, now }) =>
  verifySnapshot(table, input, { objects: uploads, now }),
);
