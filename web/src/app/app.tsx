import { RouterProvider } from '@tanstack/react-router';
import { useRef } from 'react';
import { returnPath } from '../routes.js';
import { Failure } from '../ui/failure.js';
import type { Surroundings } from '../view.js';
import { signInView } from '../views/sign-in.js';
import { HostedView } from './hosted-view.js';
import { router } from './router.js';
import { useSession } from './services.js';

/** The sign-in, or the pages of who is signed in. */
export function App() {
  const session = useSession();
  const wasSignedIn = useRef(false);
  if (session.data) wasSignedIn.current = true;
  if (session.isPending) return <p className="loading">Loading …</p>;
  if (session.isError)
    return (
      <main id="main">
        <Failure error={session.error} retry={() => location.reload()} />
      </main>
    );
  if (session.data) return <RouterProvider router={router} />;
  return (
    <main id="main" tabIndex={-1}>
      <div role="status">{wasSignedIn.current && <p className="notice">You have been signed out.</p>}</div>
      <HostedView make={makeSignIn} />
    </main>
  );
}

const makeSignIn = (surroundings: Surroundings) =>
  signInView(surroundings, returnPath(location), new URLSearchParams(location.search).get('error'));
