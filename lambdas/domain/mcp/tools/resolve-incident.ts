import * as z from 'zod/mini';
import { idOf, personText } from '../arguments.js';
import { incidentPolicy, requireFeedbackProject } from '../incidents.js';
import { tool } from '../tool.js';

export const resolveIncident = tool({
  name: 'resolve_incident',
  description:
    'End the work on an incident that you claimed. For "resolved" pass one of fixPrUrl, dispatchedTaskId and linkedRecordId; for "rejected" pass a note with the reason. Fails with INCIDENTS_NOT_CONFIGURED in a deployment without a feedback project.',
  policy: incidentPolicy('task:write'),
  needsTask: true,
  args: z
    .strictObject({
      incidentId: idOf('Id of the incident that you claimed.'),
      claimToken: z
        .string()
        .check(z.minLength(1), z.maxLength(256), z.describe('The claimToken of claim_incident.')),
      outcome: z
        .enum(['resolved', 'rejected'])
        .check(z.describe('resolved: the incident is fixed. rejected: there is nothing to fix.')),
      note: z.optional(personText(2_000, 'What you did, or why you rejected the incident.')),
      fixPrUrl: z.optional(
        z
          .url({ protocol: /^https$/ })
          .check(z.maxLength(500), z.describe('Address of the pull request with the fix.')),
      ),
      dispatchedTaskId: z.optional(idOf('Id of the task that makes the fix.')),
      linkedRecordId: z.optional(idOf('Id of another record that settles the incident.')),
    })
    .check(
      z.refine(({ outcome, note }) => outcome !== 'rejected' || note !== undefined, {
        path: ['note'],
        message: 'Required for a rejected incident',
      }),
      z.refine(
        ({ outcome, fixPrUrl, dispatchedTaskId, linkedRecordId }) =>
          outcome !== 'resolved' || (fixPrUrl ?? dispatchedTaskId ?? linkedRecordId) !== undefined,
        { path: ['fixPrUrl'], message: 'One of fixPrUrl, dispatchedTaskId and linkedRecordId is required' },
      ),
    ),
  handle: requireFeedbackProject,
});
