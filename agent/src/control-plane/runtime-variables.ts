import type { RuntimeAssets } from '../../../protocol/agent-callbacks.js';
import { whyReserved } from '../../../protocol/reserved-variables.js';

/** Two sets of 32 variables of 4 KiB, with JSON overhead. */
export const maxAssetBytes = 512 * 1024;

export interface RuntimeVariables extends Pick<RuntimeAssets, 'files'> {
  readonly variables: Readonly<Record<string, string>>;
  /** Names with reasons, for the boot log. */
  readonly refused: readonly string[];
}

/** An older control plane may send reserved variables. They are refused here. */
export function runtimeVariables({
  envVars,
  files,
  refused = [],
}: Omit<RuntimeAssets, 'workspaceId'>): RuntimeVariables {
  const allowed = envVars.filter(({ key }) => !whyReserved(key));
  const here = envVars.flatMap(({ key }) => {
    const why = whyReserved(key);
    return why ? [{ key, reason: `It ${why}` }] : [];
  });
  return {
    files,
    variables: Object.fromEntries(allowed.map(({ key, value }) => [key, value])),
    refused: [...refused, ...here].map(({ key, reason }) => `${key}: ${reason}.`),
  };
}
