// sleep-workspace: VerifyRecoveryPoint
import { verifyRecoveryPoint } from '../../domain/snapshots/verify-recovery-point.js';
import { step } from '../../edge/step.js';
import { uploads } from '../../shared/clients/uploads.js';
import { SleepInput } from '../inputs.js';

export const handler = step(SleepInput, ({ input, table, now }) =>
  verifyRecoveryPoint(table, input, { objects: uploads, now }),
);
