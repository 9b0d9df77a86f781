import * as z from 'zod/mini';

/**
 * Where releases of the agent lie in the artefact bucket. Objects of a release never change once
 * they are there.
 */
export const releaseObjects = {
  binary: (release: string, platform: string) => `agents/${release}/vm-agent-${platform}`,
  manifest: (release: string) => `agents/${release}/manifest.json`,
  /** The signature over the manifest and the binaries, as a compact JWS. */
  signature: (release: string) => `agents/${release}/manifest.jws`,
  /** What the release is made of, as CycloneDX. */
  sbom: (release: string) => `agents/${release}/sbom.cdx.json`,
  /** Names the release that is given to whoever asks for none. */
  latest: 'agents/latest.json',
} as const;

/** A commit: 40 lower-case hexadecimal characters. */
export const ReleaseId = z.string().check(z.regex(/^[0-9a-f]{40}$/));

export const LatestRelease = z.object({ release: ReleaseId });
