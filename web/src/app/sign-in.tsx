import { useMutation } from '@tanstack/react-query';
import { messageOf } from '../api-error.js';
import { returnPath } from '../routes.js';
import { useServices } from './services.js';
import { useTitle } from './title.js';

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

/** Sends the person to the code host, and from there back to the page that was asked for. */
export function SignIn() {
  useTitle('Sign in');
  const { client } = useServices();
  const signingIn = useMutation({
    mutationFn: () =>
      client.call('POST /api/auth/sign-in/social', {
        body: { provider: 'github', callbackURL: returnPath(location) },
      }),
    onSuccess: ({ url }) => location.assign(url),
  });
  const reason = new URLSearchParams(location.search).get('error');
  const problem = signingIn.isError
    ? messageOf(signingIn.error)
    : reason && (reasons[reason] ?? 'The sign-in failed.');
  return (
    <section className="card narrow">
      <h1>Berth</h1>
      <p>Cloud development workspaces on your own account: a repository, a machine, a terminal.</p>
      <div role="alert">{problem && <p className="notice bad">{problem}</p>}</div>
      <button
        type="button"
        className="primary"
        // After a success the browser is on its way.
        disabled={signingIn.isPending || signingIn.isSuccess}
        onClick={() => signingIn.mutate()}
      >
        Sign in with GitHub
      </button>
    </section>
  );
}
