import { useMutation, useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../../client/berth-client.js';
import { forgetAccount, useServices } from '../app/services.js';
import { signOut } from '../app/sign-out.js';
import { ago, clock } from '../times.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { Loaded } from '../ui/loaded.js';

type Session = AnswerOf<'GET /api/auth/sessions'>['sessions'][number];
const key = ['sessions'] as const;

/** Where the person is signed in. */
export function Sessions() {
  const services = useServices();
  const { client } = services;
  const sessions = useQuery({ queryKey: key, queryFn: () => client.call('GET /api/auth/sessions') });
  const everywhere = async () => {
    await client.call('POST /api/auth/sign-out-everywhere');
    forgetAccount(services);
  };
  return (
    <section aria-labelledby="sessions">
      <div className="heading">
        <h2 id="sessions">Where you are signed in</h2>
        <ConfirmButton label="Sign out everywhere" title="Sign out everywhere?" run={everywhere}>
          All your sessions end, this one too. Agents keep running.
        </ConfirmButton>
      </div>
      <Loaded query={sessions}>
        {(data) => (
          <ul className="plain">
            {data.sessions.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

function SessionRow({ session }: { readonly session: Session }) {
  const { client, queries } = useServices();
  const { id: sessionId, client: browser, createdAt, expiresAt, isCurrent } = session;
  const end = async () => {
    await client.call('DELETE /api/auth/sessions/{sessionId}', { params: { sessionId } });
    await queries.invalidateQueries({ queryKey: key });
  };
  const name = browser ?? 'Unknown browser';
  return (
    <li className="card row">
      <span className="strong">{name}</span>
      {isCurrent && <span className="badge good">this browser</span>}
      <span className="quiet">signed in {ago(createdAt)}</span>
      <span className="quiet">ends {clock(expiresAt)}</span>
      <span className="end">
        {isCurrent ? (
          <SignOut />
        ) : (
          <ConfirmButton
            label="Sign out"
            about={`${name}, signed in ${ago(createdAt)}`}
            title="End this session?"
            run={end}
          >
            The browser is signed out with its next request. Agents keep running.
          </ConfirmButton>
        )}
      </span>
    </li>
  );
}

/** The rail has no room for it on a phone. */
function SignOut() {
  const services = useServices();
  const signingOut = useMutation({ mutationFn: () => signOut(services) });
  return (
    <button
      type="button"
      className="small"
      aria-label="Sign out of this browser"
      disabled={signingOut.isPending}
      onClick={() => signingOut.mutate()}
    >
      Sign out
    </button>
  );
}
