import { messageOf } from '../api-error.js';
import { h, replace } from '../dom.js';
import { SignIn } from '../records.js';
import type { Surroundings, View } from '../view.js';

/** Why the callback sent the browser back without a session. */
const reasons: Readonly<Record<string, string>> = {
  access_denied: 'The sign-in was cancelled at the code host.',
  state_mismatch: 'The sign-in took too long or started in another browser. Try again.',
  code_host_unavailable: 'The code host does not answer. Try again in a minute.',
  code_host_refused: 'The code host refused the sign-in. Try again.',
  account_suspended: 'This account is suspended. Ask the operator of this Berth.',
  sign_in_not_allowed:
    'The sign-in policy of this Berth does not allow this account. Ask the operator to allow it.',
};

/** @param returnTo the page to come back to, when the sign-in has succeeded */
export function signInView({ api }: Surroundings, returnTo: string, reason: string | null): View {
  const problem = h('div', { role: 'alert' });
  const button = h('button', { type: 'button', class: 'primary', click: begin }, 'Sign in with GitHub');
  if (reason) replace(problem, h('p', { class: 'notice bad' }, reasons[reason] ?? 'The sign-in failed.'));

  function begin(): void {
    button.disabled = true;
    const body = { provider: 'github', callbackURL: returnTo };
    api
      .call('/api/auth/sign-in/social', { method: 'POST', body, reads: SignIn })
      .then(({ url }) => location.assign(url))
      .catch((error: unknown) => {
        button.disabled = false;
        replace(problem, h('p', { class: 'notice bad' }, messageOf(error)));
      });
  }

  const element = h(
    'section',
    { class: 'card narrow' },
    h('h1', {}, 'Berth'),
    h('p', {}, 'Cloud development workspaces on your own account: a repository, a machine, a terminal.'),
    problem,
    button,
  );
  return { title: 'Sign in', element, [Symbol.dispose]: () => {} };
}
