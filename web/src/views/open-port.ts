import { ApiError, messageOf } from '../api-error.js';
import { h, replace } from '../dom.js';
import { PreviewVisit, previewAddress } from '../preview-address.js';
import { PreviewToken } from '../records.js';
import type { Surroundings, View } from '../view.js';

interface Service {
  readonly workspaceId: string;
  readonly port: number;
}

const cameBack =
  'The service sent the browser back without a sign-in. Allow cookies of the service, then open the port again.';

const pendingTexts: Readonly<Record<string, string>> = {
  WAKING: 'The workspace is waking. The page opens when it runs.',
  NAMING: 'The name of the host is new. The page opens within a minute.',
};

/** Opens a service of a workspace at its own host, once the name of the host resolves. */
export function openPortView({ api }: Surroundings, { workspaceId, port }: Service, path: string): View {
  const title = `Port ${port}`;
  const state = h('p', { role: 'status' }, 'Opening…');
  const problem = h('div', { role: 'alert' });
  const reading = new AbortController();
  const visit = new PreviewVisit(sessionStorage, `${workspaceId}:${port}`);
  let timer: ReturnType<typeof setTimeout> | undefined;

  const open = async () => {
    if (visit.isTooSoon(Date.now())) throw new Error(cameBack);
    const { signal } = reading;
    const { token, url } = await api.call('/api/terminal/preview-token', {
      ...{ method: 'POST', body: { workspaceId, port }, signal },
      reads: PreviewToken,
    });
    visit.begin(Date.now());
    location.replace(previewAddress(url, path, token));
  };
  const failed = (error: unknown) => {
    if (reading.signal.aborted) return;
    const pending = error instanceof ApiError ? pendingTexts[error.code] : undefined;
    if (error instanceof ApiError && pending !== undefined) {
      state.textContent = pending;
      timer = setTimeout(() => open().catch(failed), (error.retryAfterSeconds ?? 2) * 1_000);
      return;
    }
    visit.forget();
    state.textContent = '';
    replace(problem, h('p', { class: 'notice bad' }, messageOf(error)));
  };
  open().catch(failed);

  const workspace = h('a', { href: `/workspaces/${workspaceId}` }, '← Workspace');
  const element = h('section', { class: 'card narrow' }, workspace, h('h1', {}, title), state, problem);
  return {
    title,
    element,
    [Symbol.dispose]: () => {
      reading.abort();
      clearTimeout(timer);
    },
  };
}
