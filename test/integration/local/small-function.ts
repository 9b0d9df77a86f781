import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A function named `small` on an emulator, from the text of its module; `folder` is any to work in. */
export async function createFunction(endpoint: string, folder: string, source: string): Promise<void> {
  const { status, text } = await post(`${endpoint}/2015-03-31/functions`, {
    FunctionName: 'small',
    Runtime: 'nodejs24.x',
    Handler: 'index.handler',
    Role: 'arn:aws:iam::000000000000:role/any',
    Code: { ZipFile: zipped(folder, source) },
  });
  if (status !== 201) throw new Error(`The function was not created: ${status} ${text}`);
}

export async function post(url: string, body: unknown): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

function zipped(folder: string, source: string): string {
  writeFileSync(join(folder, 'index.mjs'), source);
  const archive = ['-m', 'zipfile', '-c', 'function.zip', 'index.mjs'];
  execFileSync(join(process.cwd(), '.berth/venv/bin/python'), archive, { cwd: folder });
  return readFileSync(join(folder, 'function.zip')).toString('base64');
}
