import type { EmulatorAccess } from '../../../local/access/keys.js';
import { callAws } from '../../../local/access/signature.js';
import { zip } from '../../../local/deployment/zip.js';

interface FunctionDetails {
  readonly name?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly description?: string;
}

/**
 * A function on an emulator, named `small` by default, from the files of its code or the text of
 * its one module.
 */
export async function createFunction(
  access: EmulatorAccess,
  code: string | ReadonlyMap<string, Buffer>,
  { name = 'small', environment = {}, description = '' }: FunctionDetails = {},
): Promise<void> {
  const files = typeof code === 'string' ? new Map([['index.mjs', Buffer.from(code)]]) : code;
  const { status, text } = await post(access, '/2015-03-31/functions', {
    FunctionName: name,
    Runtime: 'nodejs24.x',
    Handler: 'index.handler',
    Role: 'arn:aws:iam::000000000000:role/any',
    // Lambda's default of 3 s is short for many processes that start at once on a busy machine.
    Timeout: 120,
    Code: { ZipFile: zip(files).toString('base64') },
    Description: description,
    Environment: { Variables: environment },
  });
  if (status !== 201) throw new Error(`The function was not created: ${status} ${text}`);
}

/** Of Lambda's API. */
export async function post(
  access: EmulatorAccess,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly text: string; readonly headers: Headers }> {
  const response = await callAws(access, { service: 'lambda', path, headers, body: JSON.stringify(body) });
  return { status: response.status, text: await response.text(), headers: response.headers };
}
