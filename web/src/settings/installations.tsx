import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useServices } from '../app/services.js';
import { useRepositories } from '../projects/use-repositories.js';
import { Loaded } from '../ui/loaded.js';

/** Where the person sees the application of this Berth installed at the code host. */
export function Installations() {
  const { client } = useServices();
  const installations = useQuery({
    queryKey: ['installations'],
    queryFn: () => client.call('GET /api/codehost/installations'),
  });
  const { data } = useRepositories();
  return (
    <section aria-labelledby="installations">
      <h2 id="installations">Code host</h2>
      <p className="quiet">Accounts in which the application of this Berth is installed.</p>
      <Loaded query={installations}>
        {({ installations: all }) => (
          <>
            {all.length === 0 && <p className="card">None that you can see.</p>}
            <ul className="plain">
              {all.map(({ id, accountName, accountType }) => (
                <li key={id} className="card row">
                  <span className="strong">{accountName}</span>
                  <span className="quiet">{accountType}</span>
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      <p className="buttons">
        <Link to="/projects">Create a project from a repository</Link>
        {data?.installUrl && <a href={data.installUrl}>Give it access to more repositories</a>}
      </p>
    </section>
  );
}
