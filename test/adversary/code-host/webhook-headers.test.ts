import { expect, it } from 'vitest';
import { readWebhook } from '../../../lambdas/domain/code-host/webhook/read-webhook.js';

// The signature of a delivery does not cover its headers: a captured body comes as another event.

const sha = 'a'.repeat(40);
const common = { action: 'created', repository: { id: 1, full_name: 'octo/hello' } };
const end = { ref: 'main', sha };
const check = { head_sha: sha, status: 'completed', conclusion: 'success' };
const pull = { number: 7, title: 'Gate', html_url: null, state: 'open', head: end, base: end };
const comment = { id: 3, html_url: null };
const push = { ref: 'refs/heads/main', after: sha, compare: null };

const bodies: Readonly<Record<string, object>> = {
  pull_request: { ...common, number: 7, pull_request: pull },
  issue_comment: { ...common, issue: { number: 7, title: 'Gate' }, comment },
  push: { ref: push.ref, after: sha, compare: null, repository: common.repository },
  check_run: { ...common, check_run: { ...check, name: 'build' } },
  check_suite: { ...common, check_suite: check },
  workflow_run: { ...common, workflow_run: { ...check, name: 'CI' } },
};

/** Events that no project records, with all that another event needs. */
const strange: Readonly<Record<string, readonly [as: string, body: object]>> = {
  pull_request_review: ['pull_request', { ...bodies.pull_request, review: { id: 1 } }],
  pull_request_review_comment: ['pull_request', { ...bodies.pull_request, comment }],
  issues: ['push', { ...common, ...push, issue: { number: 7, title: 'Gate' } }],
  workflow_job: ['workflow_run', { ...bodies.workflow_run, workflow_job: { id: 1 } }],
};

const names = Object.keys(bodies);
const pairs = names.flatMap((body) => names.filter((name) => name !== body).map((name) => [body, name]));

it.each(names)('a body of %s is read as that event', (name) => {
  expect(readWebhook(name, bodies[name])?.repositoryId).toBe('1');
});

it.each(pairs)('a body of %s is refused as %s', (body = '', name = '') => {
  expect(() => readWebhook(name, bodies[body])).toThrow();
});

it.each(Object.entries(strange))('a body of %s is refused as another event', (_event, [name, body]) => {
  expect(() => readWebhook(name, body)).toThrow('The payload is one of another event');
});
