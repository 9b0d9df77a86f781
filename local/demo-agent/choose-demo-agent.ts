import { demoModel } from './model.js';

const settingsPath = '/api/settings/agents';

/**
 * Makes the demo agent the default of a person of the local code host who has chosen no agent yet.
 * It asks before it writes, as a real agent with this permission mode does.
 *
 * @returns whether it is the default now
 */
export async function chooseDemoAgent(url: string, login: string): Promise<boolean> {
  const headers = { cookie: await signIn(url, login), 'content-type': 'application/json' };
  const { settings } = await answerOf(await fetch(`${url}${settingsPath}`, { headers }));
  if (settings?.agentType) return settings.agentDefaults?.opencode?.model === demoModel;
  const chosen = {
    ...settings,
    agentType: 'opencode',
    agentDefaults: { ...settings?.agentDefaults, opencode: { model: demoModel, permissionMode: 'default' } },
  };
  await answerOf(
    await fetch(`${url}${settingsPath}`, { method: 'PUT', headers, body: JSON.stringify(chosen) }),
  );
  return true;
}

interface Answer {
  readonly url?: string;
  readonly settings?: {
    readonly agentType?: string | null;
    readonly agentDefaults?: { readonly opencode?: { readonly model?: string | null } } | null;
  };
}

async function answerOf(response: Response): Promise<Answer> {
  if (!response.ok) throw new Error(`The API answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** The local code host has no passwords. @returns the cookies of a session */
async function signIn(url: string, login: string): Promise<string> {
  const begun = await fetch(`${url}/api/auth/sign-in/social`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ provider: 'github', callbackURL: '/' }),
  });
  const cookies = cookiesOf(begun);
  const authorize = new URL((await answerOf(begun)).url ?? '');
  authorize.searchParams.set('login', login);
  const approved = await fetch(authorize, { redirect: 'manual' });
  const landed = await fetch(approved.headers.get('location') ?? '', {
    redirect: 'manual',
    headers: { cookie: cookies },
  });
  return cookiesOf(landed);
}

const cookiesOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
