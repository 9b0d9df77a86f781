import * as z from 'zod/mini';
import { type Described, Sha, Text } from './code-host-event.js';

const number = z.int().check(z.gte(1));
const end = z.object({ ref: z.string(), sha: Sha });

export const PullRequest = z.object({
  action: z.string(),
  pull_request: z.object({
    number,
    title: z.string(),
    html_url: Text,
    state: Text,
    merged: z.optional(z.nullable(z.boolean())),
    updated_at: Text,
    head: end,
    base: end,
  }),
});

export const IssueComment = z.object({
  action: z.string(),
  issue: z.object({ number, title: z.string(), pull_request: z.optional(z.nullable(z.looseObject({}))) }),
  comment: z.object({ id: z.int(), html_url: Text, updated_at: Text }),
});

export const Push = z.object({
  ref: z.string().check(z.regex(/[^/\p{Cc}\s]$/u)),
  after: Sha,
  created: z.optional(z.boolean()),
  deleted: z.optional(z.boolean()),
  forced: z.optional(z.boolean()),
  compare: Text,
  repository: z.object({ pushed_at: z.optional(z.nullable(z.union([z.int(), z.string()]))) }),
});

const notable: readonly string[] = ['opened', 'reopened', 'closed', 'ready_for_review'];

export function describePullRequest({ action, pull_request: pull }: z.output<typeof PullRequest>): Described {
  const { head, base, title, html_url, updated_at } = pull;
  const state = pull.merged ? 'merged' : pull.state;
  return {
    subject: { type: 'pull_request', id: String(pull.number) },
    severity: notable.includes(action) ? 'notice' : 'info',
    title: `#${pull.number} ${title}`,
    url: html_url,
    at: updated_at,
    metadata: { number: pull.number, state, ref: head.ref, sha: head.sha, baseRef: base.ref },
  };
}

/** A pull request is an issue too; the code host sends comments on both as this event. */
export function describeIssueComment({ action, issue, comment }: z.output<typeof IssueComment>): Described {
  const type = issue.pull_request ? 'pull_request' : 'issue';
  return {
    subject: { type, id: String(issue.number) },
    severity: action === 'created' ? 'notice' : 'info',
    title: `Comment on #${issue.number} ${issue.title}`,
    url: comment.html_url,
    at: comment.updated_at,
    metadata: { number: issue.number, commentId: comment.id },
  };
}

const refTypes = { 'refs/heads/': 'branch', 'refs/tags/': 'tag' } as const;

export function describePush(push: z.output<typeof Push>): Described {
  const { ref, after: sha, created, deleted, forced } = push;
  const [prefix, type] = Object.entries(refTypes).find(([each]) => ref.startsWith(each)) ?? ['', 'branch'];
  const change = deleted ? 'deleted' : created ? 'created' : forced ? 'forced' : 'updated';
  return {
    subject: { type, id: ref.slice(prefix.length) },
    severity: 'info',
    title: `${ref.slice(prefix.length)} ${change}`,
    url: push.compare,
    at: push.repository.pushed_at,
    // After a deletion the code host names a commit of zeros.
    metadata: { ref, sha: deleted ? null : sha, change },
  };
}
