import { ApiError, messageOf } from '../api-error.js';
import { h, replace } from '../dom.js';
import { longestWaitMs, PreviewVisit, previewAddress } from '../preview-address.js';
import { PortToken } from '../records.js';
import type { Surroundings, View } from '../view.js';

interface Service {
  readonly workspaceId: string;
  readonly port: number;
}

const cameBack =
  'The service sent the browser back without a sign-in. Allow cookies of the service, then open the port again.';

const waking = 'The workspace is waking. The page opens when it runs.';

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
    const { token, workspaceUrl, preview } = await api.call('/api/terminal/token', {
      ...{ method: 'POST', body: { workspaceId, port }, signal },
      reads: PortToken,
    });
    if (!preview) {
      // Without a host of its own, a service has only a path.
      const url = new URL(`/workspaces/${workspaceId}/ports/${port}/`, workspaceUrl).href;
      visit.begin(Date.now());
      location.replace(previewAddress(url, '', token));
      return;
    }
    // The clock of this computer may be wrong.
    const waitMs = Math.min(longestWaitMs, Math.max(0, Date.parse(preview.readyAt) - Date.now()));
    if (waitMs > 0) state.textContent = 'The name of the host is new. The page opens within a minute.';
    timer = setTimeout(() => {
      visit.begin(Date.now());
      location.replace(previewAddress(preview.url, path, token));
    }, waitMs);
  };
  const failed = (error: unknown) => {
    if (reading.signal.aborted) return;
    if (error instanceof ApiError && error.code === 'WAKING') {
      state.textContent = waking;
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
