import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../lambdas/shared/ids.js';
import { answerAsNode, TaskRuns } from './task-runs.js';

let runs: TaskRuns;

beforeAll(async () => {
  runs = await TaskRuns.start();
});

afterAll(() => runs[Symbol.asyncDispose]());
beforeEach(() => runs.reset());

describe('an attachment', () => {
  const content = 'It squeaks \u{1F6AA}';
  const file = { filename: 'Türe 1.txt', size: Buffer.byteLength(content), contentType: 'text/plain' };

  it('is uploaded, and copied into the workspace before the agent starts', async () => {
    const task = await runs.submitted({ attachments: [await runs.uploaded(content, file.filename)] });
    await runs.step('create-workspace', task);
    await runs.provision(task);
    runs.node.onRequest = async (request) =>
      request.path.endsWith('/files/upload') ? { status: 200, body: { files: [] } } : answerAsNode(request);

    expect(await runs.step('check-workspace', task)).toEqual({ runs: true, attachments: 1 });
    expect(await runs.step('transfer-attachment', task, { index: 0 })).toEqual({ next: null });

    const [form] = runs.node.requests.filter(({ path }) => path.endsWith('/files/upload'));
    const sent = String(form?.content);
    expect(sent).toContain(content);
    expect(sent).not.toContain('name="destination"');
    expect(sent).toContain(`filename="${file.filename}"`);
    expect((await runs.present(task)).executionStep).toBe('attachment_transfer');
    await runs.step('create-agent-session', task);
    await runs.step('deliver-prompt', task);
    const [start] = runs.node.requests.filter(({ path }) => path.endsWith('/start'));
    expect(start?.body.injectedInstructions).toContain(
      `../.private (relative to the repository): ${file.filename}`,
    );
  });

  it('that was never uploaded fails the task with the file name', async () => {
    const task = await runs.submitted({ attachments: [{ ...file, uploadId: newId() }] });
    await runs.step('create-workspace', task);
    await runs.provision(task);
    await runs.step('check-workspace', task);

    await expect(runs.step('transfer-attachment', task, { index: 0 })).rejects.toMatchObject({
      name: 'AttachmentMissing',
      message: expect.stringContaining(file.filename),
    });
  });

  it.each([
    ['size', { ...file, size: 50 * 1024 ** 2 + 1 }],
    ['size', { ...file, size: 0 }],
    ['filename', { ...file, filename: '../secret' }],
    ['filename', { ...file, filename: '修'.repeat(86) }],
    ['contentType', { ...file, contentType: 'text/plain\r\nx-evil: 1' }],
  ])('is refused for its %s', async (field, body) => {
    expect(await runs.mine.call('request-upload', { body })).toMatchObject({
      status: 400,
      body: { details: [{ field: `body.${field}` }] },
    });
  });
});
