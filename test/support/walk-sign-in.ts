import type { Invoke, TestReply } from './invoke.js';

export interface Browser {
  readonly signIn: Invoke;
  readonly callback: Invoke;
}

const pair = (cookie: string): string => cookie.split(';')[0] ?? '';

export const cookieNamed = (reply: TestReply, name: string): string | undefined =>
  reply.cookies.map(pair).find((cookie) => cookie.startsWith(`${name}=`));

/** Begins a sign-in and lets the code host answer for this person; what remains is the callback. */
export async function beginSignIn({ signIn }: Browser, login: string, body: object = {}) {
  const begun = await signIn({ body: { provider: 'github', ...body } });
  const { url } = begun.body as { url: string }; // What the test of the contract holds.
  const answer = await fetch(`${url}&login=${login}`, { redirect: 'manual' });
  const { searchParams } = new URL(answer.headers.get('location') ?? '');
  return { cookie: cookieNamed(begun, '__Host-berth_oauth') ?? '', query: Object.fromEntries(searchParams) };
}

/** Signs this person in as a browser does, and returns the session's cookie. */
export async function walkSignIn(browser: Browser, login: string): Promise<string> {
  const { cookie, query } = await beginSignIn(browser, login);
  const done = await browser.callback({ params: { provider: 'github' }, query, cookies: [cookie] });
  const session = cookieNamed(done, '__Host-berth_session');
  if (!session) throw new Error(`The sign-in ended at ${done.headers.location}`);
  return session;
}
