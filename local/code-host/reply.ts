import type { IncomingHttpHeaders } from 'node:http';

/** A request of the code host, its small body read, and what it is answered. */
export interface HostRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify(body),
});

export const problem = (status: number, message: string) => json(status, { message, documentation_url: '' });

export const invalid = (message: string) => unprocessable({ message });

export const invalidField = (field: string) => unprocessable({ field, code: 'invalid' });

const unprocessable = (error: object) =>
  json(422, { message: 'Validation Failed', errors: [error], documentation_url: '' });

export const redirect = (location: string): Reply => ({ status: 302, headers: { location }, body: '' });

export const page = (title: string, content: string, status = 200): Reply => ({
  status,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  },
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}a{display:block;margin:.5rem 0;padding:.75rem 1rem;border:1px solid;border-radius:.5rem;text-decoration:none}</style>
<h1>${escapeHtml(title)}</h1>${content}</html>`,
});

export const escapeHtml = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

export const bearerOf = ({ headers }: Pick<HostRequest, 'headers'>) =>
  /^(?:bearer|token) (\S+)$/i.exec(headers.authorization ?? '')?.[1];

/** Fields of a form or of a JSON body; the code host takes both. */
export function fieldsOf({ headers, body }: HostRequest): Record<string, string> {
  if (!/^application\/json\b/i.test(headers['content-type'] ?? ''))
    return Object.fromEntries(new URLSearchParams(body));
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed !== 'object' || parsed === null) return {};
    return Object.fromEntries(Object.entries(parsed).map(([key, value]) => [key, String(value)]));
  } catch {
    return {};
  }
}
