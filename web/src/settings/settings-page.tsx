import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useServices, useSession } from '../app/services.js';
import { useTitle } from '../app/title.js';
import { Credentials } from '../credentials/credentials.js';
import { CredentialLimits } from '../credentials/limits.js';
import { useOwnWallet } from '../credentials/use-own-wallet.js';
import { NotificationChoice } from '../inbox/notification-choice.js';
import { chooseTheme, chosenTheme, themes } from '../theme/chosen-theme.js';
import { day } from '../times.js';
import { Loaded } from '../ui/loaded.js';
import { AgentSettings } from './agent-settings.js';
import { Installations } from './installations.js';
import { Sessions } from './sessions.js';

/** What belongs to the person. The code host sends people back to it after an installation. */
export function SettingsPage() {
  useTitle('Settings');
  return (
    <>
      <h1>Settings</h1>
      <Profile />
      <ThemeChoice />
      <NotificationChoice />
      <Sessions />
      <OwnCredentials />
      <AgentSettings />
      <Installations />
    </>
  );
}

function Profile() {
  const user = useSession().data?.user;
  if (!user) return null;
  return (
    <section className="card" aria-labelledby="profile">
      <h2 id="profile">Profile</h2>
      <dl className="facts">
        <dt className="quiet">Name</dt>
        <dd>{user.name}</dd>
        <dt className="quiet">Account</dt>
        <dd>{user.login}</dd>
        <dt className="quiet">E-mail</dt>
        <dd>{user.email ?? 'not given'}</dd>
        <dt className="quiet">Role</dt>
        <dd>{user.role}</dd>
        <dt className="quiet">Since</dt>
        <dd>{day(user.createdAt)}</dd>
      </dl>
      <p className="hint">These come from your account at the code host, at each sign-in.</p>
    </section>
  );
}

function ThemeChoice() {
  const [chosen, setChosen] = useState(chosenTheme);
  return (
    <fieldset className="card">
      <legend className="strong">Theme</legend>
      <div className="buttons">
        {themes.map(([theme, name]) => (
          <label key={theme}>
            <input
              type="radio"
              name="theme"
              checked={theme === chosen}
              onChange={() => {
                chooseTheme(theme);
                setChosen(theme);
              }}
            />{' '}
            {name}
          </label>
        ))}
      </div>
      <p className="hint">For this browser.</p>
    </fieldset>
  );
}

function OwnCredentials() {
  const { client } = useServices();
  const wallet = useOwnWallet();
  const limits = useQuery({
    queryKey: ['own-credential-limits'],
    queryFn: () => client.call('GET /api/credentials/limits'),
  });
  return (
    <section aria-labelledby="credentials">
      <h2 id="credentials">Your credentials</h2>
      <p className="quiet">
        Agents in your workspaces use them where the project has none. A project with other members needs your
        consent, on its page of credentials.
      </p>
      <Credentials wallet={wallet} mayChange />
      <h3>Rate limits</h3>
      <Loaded query={limits}>{({ credentials }) => <CredentialLimits limits={credentials} />}</Loaded>
    </section>
  );
}
