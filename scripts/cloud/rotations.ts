import type { DeploymentSettings } from '../../infra/settings.js';

/** Settings whose first generation is used, and the outputs with those of the last deployment. */
const rotations = {
  signingKeyGenerations: 'SigningKeyGenerations',
  originSecretGenerations: 'OriginSecretGenerations',
} as const;

/**
 * The reason why a deployment must not use its generations; nothing when it may. An earlier
 * deployment must have published a generation, because verifiers refuse one that they do not know.
 *
 * @param output of the last deployment; undefined for an output that it does not have
 */
export function rotationProblem(
  settings: Pick<DeploymentSettings, keyof typeof rotations>,
  output: (name: string) => string | undefined,
): string | undefined {
  for (const [setting, name] of Object.entries(rotations)) {
    const generations = settings[setting as keyof typeof rotations];
    const [used] = generations;
    const published = output(name)?.split(',').map(Number);
    if (used === undefined || !published || published.includes(used)) continue;
    const later = [...published, used].join(',');
    return `${setting} is [${generations.join(',')}], but the last deployment published only [${published.join(',')}]. Deploy first with ${setting}=[${later}], and wait 5 minutes (docs/runbook.md).`;
  }
  return undefined;
}
