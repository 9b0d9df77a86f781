import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import type { ConversationMessage } from '../../../protocol/agent-callbacks.js';
import { newChat } from './chat.js';
import { keepContents } from './content-uploads.js';

const id = '01K0000000000000000000000C';
const chat = newChat(
  { chatId: id, projectId: id, userId: id, topic: null, workspaceId: id, taskId: null },
  new Date('2026-11-21T10:00:00.000Z'),
);
const message: ConversationMessage = {
  messageId: 'm1',
  sessionId: id,
  role: 'tool',
  content: 'beginning',
  timestamp: '2026-11-21T10:00:00.000Z',
  sequence: 1,
};
const whole = { bytes: 200_000, sha256: 'a'.repeat(64) };

/** An object store that answers every request with `status`. */
async function storeThatAnswers(status: number) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(String(request.method));
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const contents = {
    ...{ bucket: 'bucket', region: 'us-east-1', endpoint: `http://127.0.0.1:${port}` },
    credentials: async () => ({ accessKeyId: 'a', secretAccessKey: 'b' }),
  };
  const parts = { contents, now: new Date() };
  return { asked, parts, [Symbol.dispose]: () => server.close() };
}

it.each([403, 404, 500, 503])('reports content as not stored when S3 answers %d', async (status) => {
  using store = await storeThatAnswers(status);

  const kept = keepContents(store.parts, chat, [{ ...message, whole }]);

  await expect(kept).rejects.toMatchObject({ code: 'CONTENT_NOT_STORED', kind: 'conflict' });
  expect(store.asked).toEqual(['HEAD']);
});

it('does not call S3 for messages without uploaded content', async () => {
  using store = await storeThatAnswers(500);

  await keepContents(store.parts, chat, [message]);

  expect(store.asked).toEqual([]);
});
