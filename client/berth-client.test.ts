import { expect, it } from 'vitest';
import { ApiError, BerthClient } from './berth-client.js';

const projectId = '01JD3ZK5W8Q2V7N4B6M9X0TRGH';
const sessionId = '01JD3ZK5W8Q2V7N4B6M9X0TRGJ';

/** A client whose calls are answered by these responses, and the calls. */
function clientWith(...answers: readonly Response[]) {
  const left = [...answers];
  const sent: Request[] = [];
  const client = new BerthClient({
    url: 'https://berth.example',
    session: 'secret',
    fetch: async (url, init) => {
      sent.push(new Request(url, init));
      return left.shift() ?? Response.error();
    },
  });
  return { client, sent };
}

it('sends path, query and body as the operation has them, with the session', async () => {
  const { client, sent } = clientWith(Response.json({ id: projectId }, { status: 201 }));

  const answer = await client.call('POST /api/projects/{projectId}/sessions', {
    params: { projectId },
    body: { topic: 'Hello' },
    idempotencyKey: 'once',
  });

  expect(answer).toEqual({ id: projectId });
  const [request] = sent;
  expect(request).toMatchObject({
    method: 'POST',
    url: `https://berth.example/api/projects/${projectId}/sessions`,
  });
  expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
    cookie: '__Host-berth_session=secret',
    'content-type': 'application/json',
    'idempotency-key': 'once',
  });
  expect(await request?.json()).toEqual({ topic: 'Hello' });
});

it('reads a list page after page, and no page that is not asked for', async () => {
  const { client, sent } = clientWith(
    Response.json({ projects: [{ name: 'a' }, { name: 'b' }], nextCursor: 'next' }),
    Response.json({ projects: [{ name: 'c' }], nextCursor: null }),
  );

  const names = [];
  for await (const { name } of client.list('GET /api/projects', 'projects', { query: { limit: 2 } })) {
    names.push(name);
    expect(sent).toHaveLength(name === 'c' ? 2 : 1);
  }

  expect(names).toEqual(['a', 'b', 'c']);
  expect(sent.map(({ url }) => new URL(url).search)).toEqual(['?limit=2', '?limit=2&cursor=next']);
});

it('throws what the API says went wrong', async () => {
  const body = {
    error: 'BAD_REQUEST',
    message: 'The request is invalid',
    requestId: 'r-1',
    details: [{ field: 'body.topic', message: 'Too long' }],
  };
  const { client } = clientWith(Response.json(body, { status: 400 }));

  await expect(client.call('GET /api/auth/session')).rejects.toMatchObject({
    name: 'ApiError',
    status: 400,
    code: 'BAD_REQUEST',
    requestId: 'r-1',
    details: body.details,
    retryAfter: null,
  });
});

it('throws what stands before the API says, and when to come back', async () => {
  const { client } = clientWith(
    new Response('<html>', { status: 503, headers: { 'retry-after': '5', 'x-request-id': 'r-2' } }),
  );

  await expect(client.call('GET /api/auth/session')).rejects.toMatchObject({
    status: 503,
    code: 'UNEXPECTED_ANSWER',
    requestId: 'r-2',
    retryAfter: 5,
  });
});

it('hands files on as they come, also one that is JSON', async () => {
  const { client, sent } = clientWith(Response.json({ name: 'package' }));

  const response = await client.open('GET /api/projects/{projectId}/sessions/{sessionId}/files/raw', {
    params: { projectId, sessionId },
    query: { path: 'a b/c&d.json' },
  });

  expect(await response.text()).toBe('{"name":"package"}');
  expect(new URL(sent[0]?.url ?? '').search).toBe('?path=a+b%2Fc%26d.json');
});

it('sends a form as a form', async () => {
  const { client, sent } = clientWith(Response.json({ files: [] }));
  const form = new FormData();
  form.set('files', new Blob(['x']), 'x.txt');

  await client.call('POST /api/projects/{projectId}/sessions/{sessionId}/files/upload', {
    params: { projectId, sessionId },
    body: form,
  });

  expect(sent[0]?.headers.get('content-type')).toMatch(/^multipart\/form-data; boundary=/);
});

it('takes an empty answer for none', async () => {
  const { client } = clientWith(new Response(null, { status: 204 }));

  const params = { projectId, taskId: sessionId };
  expect(await client.call('DELETE /api/projects/{projectId}/tasks/{taskId}', { params })).toBeUndefined();
});

it('throws an error that a program can distinguish from its own faults', async () => {
  const { client } = clientWith(
    Response.json({ error: 'NOT_FOUND', message: 'Project not found' }, { status: 404 }),
  );

  const failure = client.call('GET /api/projects/{projectId}', { params: { projectId } });

  await expect(failure).rejects.toBeInstanceOf(ApiError);
});

it('sends nothing when a path parameter is missing', async () => {
  const { client, sent } = clientWith();

  // As a program in JavaScript may call it.
  const call = client.call('GET /api/projects/{projectId}', { params: {} as { projectId: string } });

  await expect(call).rejects.toThrow('The path parameter projectId is missing');
  expect(sent).toEqual([]);
});
