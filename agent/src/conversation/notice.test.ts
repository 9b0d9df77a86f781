import { expect, it } from 'vitest';
import { failedEnd } from '../agent-sessions/turn.js';
import { turnFailure } from '../harness/harness-failure.js';
import { StderrTail } from '../harness/harness-process.js';
import { noticeOfEnd } from './notice.js';

it('states that the context is full, and what to do', () => {
  const context = { stderr: new StderrTail(100), secrets: [] };
  const end = failedEnd('error', turnFailure(new Error('HTTP 400: context_length_exceeded'), context));

  expect(end.errorCode).toBe('');
  const notice = noticeOfEnd(end);
  expect(notice).toMatchObject({ code: 'context_full' });
  expect(notice?.text).toContain('HTTP 400: context_length_exceeded');
  expect(notice?.text).toContain('Start a new session, and begin it with a summary of this conversation.');
});
