import * as z from 'zod/mini';
import { idOf } from '../arguments.js';
import { incidentPolicy, requireFeedbackProject } from '../incidents.js';
import { tool } from '../tool.js';

const args = z.strictObject({ incidentId: idOf('Id of the incident, from list_incident_queue.') });

export const claimIncident = tool({
  name: 'claim_incident',
  description:
    'Claim an incident for your task, so that no other agent works on it. Returns claimToken and leaseExpiresAt. Fails with INCIDENTS_NOT_CONFIGURED in a deployment without a feedback project.',
  policy: incidentPolicy('task:write'),
  needsTask: true,
  args,
  handle: requireFeedbackProject,
});
