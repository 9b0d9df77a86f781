import { expect, it } from 'vitest';
import { decideRefusal } from './delivery-failures.js';

it.each([
  [401, 'NODE_CALLBACK_UNAUTHORIZED', 5, 'hold'],
  [403, 'NODE_CALLBACK_FORBIDDEN', 5, 'hold'],
  [404, 'NOT_FOUND', 5, 'close_chat'],
  [410, 'GONE', 5, 'hold'],
  [409, 'SESSION_MESSAGE_LIMIT_EXCEEDED', 5, 'close_chat'],
  [409, 'CONTENT_NOT_STORED', 5, 'upload_again'],
  [409, 'SESSION_CONTENT_LIMIT_EXCEEDED', 1, 'send_truncated'],
  [409, 'NOT_LINKED', 5, 'retry'],
  [418, '', 5, 'retry'],
  [400, 'INVALID_REQUEST', 5, 'one_by_one'],
  [413, 'PAYLOAD_TOO_LARGE', 5, 'one_by_one'],
  [413, 'PAYLOAD_TOO_LARGE', 1, 'omit'],
  [400, 'MESSAGE_TOO_LARGE', 1, 'omit'],
  [400, 'INVALID_REQUEST', 1, 'drop'],
])('%d %s for %d messages: %s', (status, code, count, decision) => {
  expect(decideRefusal({ status, code, message: '' }, { count, isOmitted: false, awaitsUpload: false })).toBe(
    decision,
  );
});

it('drops a message that is refused after it was replaced', () => {
  const error = { status: 413, code: '', message: '' };

  expect(decideRefusal(error, { count: 1, isOmitted: true, awaitsUpload: false })).toBe('drop');
});

it('sends a truncated message when the control plane stores no content', () => {
  const error = { status: 400, code: 'BAD_REQUEST', message: '' };

  expect(decideRefusal(error, { count: 1, isOmitted: false, awaitsUpload: true })).toBe('send_truncated');
});
