import { BerthClient } from '../../client/berth-client.js';

/** A person's browser or curl: keeps cookies, follows redirects one by one, speaks JSON. */
export class Person {
  private readonly jar: Map<string, string>;

  constructor(
    readonly url: string,
    cookies: readonly (readonly [string, string])[] = [],
  ) {
    this.jar = new Map(cookies);
  }

  /** Signs in through the code host, by real redirects. */
  static async signIn(url: string, login: string): Promise<Person> {
    const person = new Person(url);
    const begun = await person.post('/api/auth/sign-in/social', { provider: 'github', callbackURL: '/' });
    if (begun.status !== 200)
      throw new Error(`Sign-in answered ${begun.status}: ${JSON.stringify(begun.body)}`);
    const authorize = new URL(String(begun.body.url));
    authorize.searchParams.set('login', login);
    const approved = await fetch(authorize, { redirect: 'manual' });
    const callback = approved.headers.get('location');
    if (!callback) throw new Error(`The code host answered ${approved.status}: ${await approved.text()}`);
    const landed = await person.request('GET', callback.slice(url.length));
    if (landed.location !== '/') throw new Error(`The callback led to ${landed.location} (${landed.status})`);
    return person;
  }

  get cookies(): readonly (readonly [string, string])[] {
    return [...this.jar];
  }

  get cookieHeader(): string {
    return [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** The typed client, as this person. */
  get client(): BerthClient {
    const session = this.jar.get('__Host-berth_session');
    return new BerthClient({ url: this.url, ...(session ? { session } : {}) });
  }

  get(path: string): Promise<Answer> {
    return this.request('GET', path);
  }

  post(path: string, body?: unknown): Promise<Answer> {
    return this.request('POST', path, body === undefined ? {} : { json: body });
  }

  delete(path: string): Promise<Answer> {
    return this.request('DELETE', path);
  }

  async request(method: string, path: string, { json, raw, headers }: RequestOptions = {}): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(this.jar.size > 0 ? { cookie: this.cookieHeader } : {}),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: raw ?? (json === undefined ? null : JSON.stringify(json)),
    });
    for (const cookie of response.headers.getSetCookie()) this.keep(cookie);
    const text = await response.text();
    return {
      status: response.status,
      text,
      // What comes from outside is looked at field by field in the tests.
      body: parseObject(text),
      location: response.headers.get('location'),
      headers: response.headers,
    };
  }

  private keep(cookie: string): void {
    const [pair = ''] = cookie.split(';');
    const name = pair.slice(0, pair.indexOf('='));
    if (/max-age=0\b/i.test(cookie)) this.jar.delete(name);
    else this.jar.set(name, pair.slice(pair.indexOf('=') + 1));
  }
}

interface RequestOptions {
  readonly json?: unknown;
  readonly raw?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field and fail if it is missing
  readonly body: any;
  readonly location: string | null;
  readonly headers: Headers;
}

function parseObject(text: string): Answer['body'] {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
