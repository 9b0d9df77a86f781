import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Failure } from '../ui/failure.js';
import { router } from './router.js';
import { forgetAccount, useServices, useSession } from './services.js';
import { SignIn } from './sign-in.js';

/** The sign-in, or the pages of who is signed in. */
export function App() {
  const services = useServices();
  const session = useSession();
  const wasSignedIn = useRef(false);
  if (session.data) wasSignedIn.current = true;
  const hasEnded = wasSignedIn.current && session.data === null;
  useEffect(() => {
    if (hasEnded) forgetAccount(services);
  }, [hasEnded, services]);
  // What was read stays when a later reading fails.
  if (session.data) return <RouterProvider router={router} />;
  if (session.isPending) return <p className="loading">Loading …</p>;
  if (session.isError)
    return (
      <main id="main">
        <Failure error={session.error} retry={() => location.reload()} />
      </main>
    );
  return (
    <main id="main" tabIndex={-1}>
      <div role="status">{hasEnded && <p className="notice">You have been signed out.</p>}</div>
      <SignIn />
    </main>
  );
}
