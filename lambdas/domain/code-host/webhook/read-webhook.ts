import type * as z from 'zod/mini';
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

type Reader = (payload: unknown) => Described;

const reader =
  <Schema extends z.ZodMiniType>(
    schema: Schema,
    describe: (payload: z.output<Schema>) => Described,
  ): Reader =>
  (payload) =>
    describe(parsePayload(schema, payload));

/** The events that become project events, by their name in `X-GitHub-Event`. */
const readers: ReadonlyMap<string, Reader> = new Map([
  ['pull_request', reader(PullRequest, describePullRequest)],
  ['issue_comment', reader(IssueComment, describeIssueComment)],
  ['push', reader(Push, describePush)],
  ['check_run', reader(CheckRun, describeCheckRun)],
  ['check_suite', reader(CheckSuite, describeCheckSuite)],
  ['workflow_run', reader(WorkflowRun, describeWorkflowRun)],
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
