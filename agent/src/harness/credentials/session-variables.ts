import type { RuntimeAssets } from '../../../../protocol/agent-callbacks.js';
import { whyReserved } from '../../../../protocol/reserved-variables.js';

export interface SessionVariables {
  readonly variables: Readonly<Record<string, string>>;
  /** Each with the reason, for the boot log. */
  readonly refused: readonly string[];
}

/** A control plane from before the rule may still send what no shared layer may set. */
export function sessionVariables({
  envVars,
  refused = [],
}: Omit<RuntimeAssets, 'workspaceId' | 'files'>): SessionVariables {
  const allowed = envVars.filter(({ key }) => !whyReserved(key));
  const here = envVars.flatMap(({ key }) => {
    const why = whyReserved(key);
    return why ? [{ key, reason: `It ${why}` }] : [];
  });
  return {
    variables: Object.fromEntries(allowed.map(({ key, value }) => [key, value])),
    refused: [...refused, ...here].map(({ key, reason }) => `${key}: ${reason}.`),
  };
}
