/**
 * The attacks by what they attack, as `npm run adversary` counts them: each test file, by the
 * beginning of its path in this folder. docs/security.md describes each ring.
 */
export const rings = {
  'hostile page': ['cloud/browser', 'cloud/forged', 'cloud/pages', 'cloud/raw-requests', 'cloud/unsigned'],
  'hostile preview': ['cloud/hostile-preview'],
  'shared layers': ['shared-layers/'],
  builds: ['repositories/'],
  'endless writers': ['streams/'],
  'crafted snapshots': ['snapshots/'],
  'socket floods': ['abuse/sockets', 'abuse/end-rights', 'cloud/alone/flood', 'cloud/alone/socket-flood'],
  equivalence: ['equivalence/'],
  limits: ['abuse/budgets', 'abuse/in-flight', 'abuse/kept-', 'abuse/origin'],
  leftovers: ['abuse/deleted-things', 'abuse/ended-chats', 'abuse/unstored-contents'],
  revocation: ['revocation/', 'cloud/alone/cut-off'],
  secrets: ['cloud/alone/canaries'],
  tenants: ['tenants/'],
  'write-back': ['write-back/'],
  tokens: ['tokens/'],
  git: ['git/'],
  'code host': ['code-host/'],
  'supply chain': ['supply-chain/'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** @param path in test/adversary */
export const ringsOf = (path: string): readonly string[] =>
  Object.entries(rings).flatMap(([ring, files]) =>
    files.some((file) => path.startsWith(file)) ? [ring] : [],
  );
