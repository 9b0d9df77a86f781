import type { SessionNotification } from '@agentclientprotocol/sdk';
import { expect, it } from 'vitest';
import type { Notice } from '../../conversation/notice.js';
import { StderrTail } from '../harness-process.js';
import { failureOfAnswer, ProviderRetries } from './provider-failures.js';

const meta = (failure: object) => ({ jetbrains: { air: { version: 1, sessionFailure: failure } } });
const failed = (category: string, title: string) => meta({ category, severity: 'error', title });

function context() {
  return { stderr: new StderrTail(100), secrets: ['sk-secret-0123456789'] };
}

it.each([
  ['limit', 'Claude is temporarily rate limited.', 'provider_overloaded'],
  ['service', 'The model provider reported an error.', 'provider_overloaded'],
  ['connection', 'The connection to Claude was lost.', 'network_error'],
  ['access', 'Sign in to continue using Claude.', 'model_provider_credential_rejected'],
  ['service', 'API Error: 401 {"type":"authentication_error"}', 'model_provider_credential_rejected'],
  ['service', 'API Error: 400 The request is wrong', ''],
  ['limit', "Codex ran out of room in the model's context window.", ''],
  ['request', 'Claude could not process this request.', ''],
])('a failure of the category %s with the text "%s" has the code "%s"', (category, title, code) => {
  expect(failureOfAnswer(failed(category, title), context())?.detail.code).toBe(code);
});

it('redacts keys in the text of a failure', () => {
  const failure = failureOfAnswer(failed('service', 'Refused sk-secret-0123456789'), context());

  expect(failure?.message).not.toContain('sk-secret-0123456789');
});

it.each([[undefined], [{}], [meta({ category: 'limit', severity: 'warning', title: 'Retrying' })], [null]])(
  'an answer with %j is no failure',
  (answer) => {
    expect(failureOfAnswer(answer, context())).toBeNull();
  },
);

function retries() {
  const notices: Notice[] = [];
  const updates: SessionNotification[] = [];
  const listener = {
    onUpdate: (update: SessionNotification) => void updates.push(update),
    onNotice: (notice: Notice) => void notices.push(notice),
  };
  const subject = new ProviderRetries({ name: 'Claude Code', secrets: [], listener });
  const warn = (category: string, title = 'Retrying, attempt 1 of 10') =>
    subject.onUpdate({
      sessionId: 'acp',
      update: {
        sessionUpdate: 'session_info_update',
        _meta: meta({ category, severity: 'warning', title }),
      },
    });
  return { subject, notices, updates, warn };
}

it('states once a turn that the provider fails, and passes all updates on', () => {
  const { subject, notices, updates, warn } = retries();

  subject.turnStarted();
  for (let attempt = 0; attempt < 3; attempt += 1) void warn('service');
  subject.turnStarted();
  void warn('limit');

  expect(notices.map(({ code }) => code)).toEqual(['provider_retry', 'provider_retry']);
  expect(notices[0]?.text).toContain('Claude Code tries again. Retrying, attempt 1 of 10');
  expect(updates).toHaveLength(4);
});

it('states no advice that is not about the provider', () => {
  const { notices, warn } = retries();

  void warn('unknown');

  expect(notices).toEqual([]);
});

it('names the HTTP status of the provider once it is known, each status once', () => {
  const { notices, warn } = retries();

  void warn('connection', 'Reconnecting... 2/5');
  for (let attempt = 0; attempt < 2; attempt += 1)
    void warn('service', 'Retrying, attempt 2 of 10. unexpected status 529 <unknown status code>');
  void warn('limit', 'HTTP 429, attempt 3 of 10');
  void warn('limit', 'Retrying, attempt 4 of 10');

  expect(notices.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^The model provider does not answer as expected, and Claude Code tries again\./),
    expect.stringMatching(/^The model provider answers 529, and Claude Code tries again\. .*attempt 2 of 10/),
    'The model provider answers 429, and Claude Code tries again. HTTP 429, attempt 3 of 10',
  ]);
});

it('marks a failure by a full context', () => {
  const failure = failureOfAnswer(failed('limit', 'prompt is too long: 210000 tokens > 200000'), context());

  expect(failure?.detail).toMatchObject({ code: '', isContextFull: true });
});
