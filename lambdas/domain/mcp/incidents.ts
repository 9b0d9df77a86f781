import { Conflict } from '../../shared/errors.js';

export const incidentPolicy = (capability: 'task:read' | 'task:write') =>
  ({
    equals: 'none',
    reason: 'Incidents are in the feedback project of the deployment, not in that of the caller',
    capability,
  }) as const;

/** @throws {Conflict} always: no deployment has a feedback project yet */
export function requireFeedbackProject(): never {
  throw new Conflict(
    'Incidents are not configured in this deployment: it has no feedback project. Do not call the incident tools again.',
    { code: 'INCIDENTS_NOT_CONFIGURED' },
  );
}
