import * as z from 'zod/mini';
import { limitOf } from '../arguments.js';
import { incidentPolicy, requireFeedbackProject } from '../incidents.js';
import { tool } from '../tool.js';

const State = z.string().check(z.minLength(1), z.maxLength(40), z.describe('A state of the queue.'));

export const listIncidentQueue = tool({
  name: 'list_incident_queue',
  description:
    'List the incidents that people reported of this deployment and that wait for work. The deployment decides which project has them. Fails with INCIDENTS_NOT_CONFIGURED in a deployment without one. Example: {"state": "queued", "limit": 10}. Changes nothing.',
  policy: incidentPolicy('task:read'),
  isReadOnly: true,
  args: z.strictObject({
    state: z.optional(State.check(z.describe('Return only incidents in this state of the queue.'))),
    states: z.optional(
      z
        .array(State)
        .check(z.minLength(1), z.maxLength(10), z.describe('Return only incidents in one of these states.')),
    ),
    limit: limitOf(50, 10),
  }),
  handle: requireFeedbackProject,
});
