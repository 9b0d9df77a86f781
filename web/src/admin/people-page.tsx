import type { AnswerOf } from '../../../client/berth-client.js';
import { useServices } from '../app/services.js';
import { useTitle } from '../app/title.js';
import { day } from '../times.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { Loaded } from '../ui/loaded.js';
import { ShowMore } from '../ui/show-more.js';
import { StatusBadge } from '../ui/status-badge.js';
import { usePages } from '../ui/use-pages.js';

type Person = AnswerOf<'GET /api/admin/users'>['users'][number];
const key = ['people'] as const;

/** Everybody who has signed in. Only superadmins may read it. */
export function PeoplePage() {
  useTitle('People');
  const { client } = useServices();
  const people = usePages(key, (query, signal) => client.call('GET /api/admin/users', { query, signal }));
  return (
    <Loaded query={people}>
      {({ pages }) => (
        <section aria-labelledby="people">
          <h2 id="people">People</h2>
          <ul className="plain">
            {pages
              .flatMap(({ users }) => users)
              .map((person) => (
                <PersonRow key={person.id} person={person} />
              ))}
          </ul>
          <ShowMore pages={people} />
        </section>
      )}
    </Loaded>
  );
}

function PersonRow({ person }: { readonly person: Person }) {
  const { login, name, role, status, suspendedBy, createdAt } = person;
  return (
    <li className="card row">
      <span className="strong">
        {name} ({login})
      </span>
      <StatusBadge status={status} />
      <span className="badge quiet">{role}</span>
      {suspendedBy && (
        <span className="quiet">by {suspendedBy === 'policy' ? 'the sign-in policy' : 'a superadmin'}</span>
      )}
      <span className="quiet">since {day(createdAt)}</span>
      {/* Only the setting changes a superadmin. */}
      {role !== 'superadmin' && <PersonActions person={person} />}
    </li>
  );
}

function PersonActions({ person: { id: userId, login, role, status } }: { readonly person: Person }) {
  const { client, queries } = useServices();
  const change = async (body: { status?: 'active' | 'suspended'; role?: 'admin' | 'user' }) => {
    await client.call('PATCH /api/admin/users/{userId}', { params: { userId }, body });
    await queries.invalidateQueries({ queryKey: key });
  };
  const other = role === 'admin' ? 'user' : 'admin';
  return (
    <span className="buttons end">
      <ConfirmButton
        label={`Make ${other === 'admin' ? 'an admin' : 'a user'}`}
        about={`of ${login}`}
        className="small"
        title={`Change the role of ${login}?`}
        run={() => change({ role: other })}
      >
        All sign-in sessions of the person end.
      </ConfirmButton>
      {status === 'suspended' ? (
        <ConfirmButton
          label="Reactivate"
          about={login}
          className="small"
          title={`Reactivate ${login}?`}
          run={() => change({ status: 'active' })}
        >
          The person can sign in again. Nothing that was stopped starts by itself.
        </ConfirmButton>
      ) : (
        <ConfirmButton
          label="Suspend"
          about={login}
          title={`Suspend ${login}?`}
          run={() => change({ status: 'suspended' })}
        >
          All requests of the person are refused at once, and their agents and workspaces are stopped.
        </ConfirmButton>
      )}
    </span>
  );
}
