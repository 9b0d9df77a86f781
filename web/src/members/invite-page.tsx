import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { messageOf } from '../api-error.js';
import { useServices } from '../app/services.js';
import { useTitle } from '../app/title.js';
import { projectsKey } from '../projects/use-projects.js';
import { readInvitation, usedInvitation } from './invitation-token.js';

/** Accepts the invitation of the link that was opened. */
export function InvitePage() {
  useTitle('Invitation');
  const { client, queries } = useServices();
  const navigate = useNavigate();
  const [token] = useState(readInvitation);
  const accepting = useMutation({
    mutationFn: () => client.call('POST /api/invites/accept', { body: { token } }),
    onSuccess: ({ projectId, name }) => {
      usedInvitation();
      void queries.invalidateQueries({ queryKey: projectsKey });
      const state = { notice: `You are a member of ${name}.` };
      void navigate({ to: '/projects/$projectId', params: { projectId }, state });
    },
  });
  return (
    <section className="card narrow">
      <h1>Invitation</h1>
      {token === '' ? (
        <p>This address has no invitation. Open the whole link that you were sent.</p>
      ) : (
        <>
          <p>You are invited to a project. The invitation works once, for the person who accepts it.</p>
          <button
            type="button"
            className="primary"
            disabled={accepting.isPending}
            onClick={() => accepting.mutate()}
          >
            Accept the invitation
          </button>
        </>
      )}
      <div role="alert">
        {accepting.isError && <p className="notice bad">{messageOf(accepting.error)}</p>}
      </div>
    </section>
  );
}
