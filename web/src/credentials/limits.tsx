import type { AnswerOf } from '../../../client/berth-client.js';
import { ago, clock } from '../times.js';

type Limits = AnswerOf<'GET /api/credentials/limits'>['credentials'];

const tones = { ok: 'good', warning: 'warn', critical: 'bad', rejected: 'bad' } as const;

/** How much of each credential is used, as agents reported it. */
export function CredentialLimits({ limits }: { readonly limits: Limits }) {
  if (limits.length === 0) return <p className="quiet">No agent has reported limits.</p>;
  return (
    <ul className="plain">
      {limits.map(({ credentialReference, credentialSource, provider, level, observedAt, windows }) => (
        <li key={`${credentialSource} ${credentialReference}`} className="card">
          <div className="row">
            <span className="strong">{provider}</span>
            <span className="quiet">
              {credentialSource === 'user' ? 'your own' : `of the ${credentialSource}`}
            </span>
            <span className={`badge ${tones[level]}`}>{level}</span>
            <span className="quiet">reported {ago(observedAt)}</span>
          </div>
          {windows.map(({ windowType, utilizationPercent, resetsAt }) => (
            <p key={windowType} className="hint">
              {windowType}:{' '}
              {utilizationPercent === null ? 'use not reported' : `${utilizationPercent} % used`}
              {resetsAt && `, starts again at ${clock(resetsAt)}`}
            </p>
          ))}
        </li>
      ))}
    </ul>
  );
}
