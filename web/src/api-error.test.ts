import { expect, it } from 'vitest';
import { ApiError } from './api-error.js';

it('shows the message and the fields that were wrong', () => {
  const details = [{ field: 'body.branch', message: 'Not a branch name' }];

  const error = ApiError.of(400, { error: 'BAD_REQUEST', message: 'The request is invalid', details }, null);

  expect(error.message).toBe('The request is invalid (branch: Not a branch name)');
  expect(error.isFinal).toBe(true);
});

it('takes the reason of a refused deletion', () => {
  expect(ApiError.of(409, { success: false, reason: 'It was started again' }, null).message).toBe(
    'It was started again',
  );
});

it('waits for Retry-After and tries again', () => {
  const error = ApiError.of(429, { error: 'RATE_LIMIT_EXCEEDED', message: 'Too many' }, '12');

  expect(error).toMatchObject({ retryAfterSeconds: 12, isFinal: false });
});

it('has a message for an answer that is not from the API', () => {
  expect(ApiError.of(502, undefined, null).message).toBe('The control plane answered with status 502.');
});
