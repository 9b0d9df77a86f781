import type * as z from 'zod/mini';
import { InvalidRequest } from '../../../shared/errors.js';
import {
  describeIssueComment,
  describePullRequest,
  describePush,
  IssueComment,
  PullRequest,
  Push,
} from './change-events.js';
import {
  CheckRun,
  CheckSuite,
  describeCheckRun,
  describeCheckSuite,
  describeWorkflowRun,
  WorkflowRun,
} from './check-events.js';
import {
  type CodeHostEvent,
  Common,
  type Described,
  describedEvent,
  parsePayload,
} from './code-host-event.js';

/** Fields that say what a payload is about. */
const subjectFields = [
  ...['pull_request', 'issue', 'comment', 'review', 'thread', 'check_run', 'check_suite'],
  ...['workflow_run', 'workflow_job', 'deployment', 'release', 'discussion'],
] as const;
type SubjectField = (typeof subjectFields)[number];

type Reader = (payload: unknown) => Described;

const reader =
  <Schema extends z.ZodMiniType>(
    schema: Schema,
    describe: (payload: z.output<Schema>) => Described,
    ...subjects: readonly SubjectField[]
  ): Reader =>
  (payload) => {
    requireSubjects(payload, subjects);
    return describe(parsePayload(schema, payload));
  };

/**
 * The name of an event is a header, which the signature does not cover: the payload itself must be
 * of this event and of no other.
 *
 * @throws {InvalidRequest}
 */
function requireSubjects(payload: unknown, subjects: readonly SubjectField[]): void {
  const foreign = subjectFields.filter((field) => hasOwnField(payload, field) && !subjects.includes(field));
  if (foreign.length > 0)
    throw new InvalidRequest(
      'The payload is one of another event',
      foreign.map((field) => ({
        field: `body.${field}`,
        message: 'A payload of this event has no such field',
      })),
    );
}

const hasOwnField = (payload: unknown, field: string): boolean =>
  typeof payload === 'object' && payload !== null && Object.hasOwn(payload, field);

/** The events that become project events, by their name in `X-GitHub-Event`. */
const readers: ReadonlyMap<string, Reader> = new Map([
  ['pull_request', reader(PullRequest, describePullRequest, 'pull_request')],
  ['issue_comment', reader(IssueComment, describeIssueComment, 'issue', 'comment')],
  ['push', reader(Push, describePush)],
  ['check_run', reader(CheckRun, describeCheckRun, 'check_run')],
  ['check_suite', reader(CheckSuite, describeCheckSuite, 'check_suite')],
  ['workflow_run', reader(WorkflowRun, describeWorkflowRun, 'workflow_run')],
]);

/**
 * The event of a delivery; undefined for events that no project is interested in. Pure: each repeat
 * of a delivery gives the same.
 *
 * @throws {InvalidRequest} the payload is not one of this event
 */
export function readWebhook(name: string, payload: unknown): CodeHostEvent | undefined {
  const read = readers.get(name);
  if (!read) return undefined;
  const described = read(payload);
  return describedEvent(name, parsePayload(Common, payload), described);
}
