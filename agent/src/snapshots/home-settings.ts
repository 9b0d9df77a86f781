import { parseJsonWithComments } from '../../../protocol/json-with-comments.js';
import { redactText } from '../shared/redact.js';
import type { ArchiveReader, ArchiveWriter } from './archive.js';
import type { FoundEntry } from './snapshot-budget.js';
import { isSettingsFile } from './snapshot-rules.js';
import type { WorkspaceShell } from './workspace-shell.js';

/** A settings file as the snapshot stores it: without credentials. */
interface StoredSettings {
  readonly path: string;
  /** Octal permissions. */
  readonly mode: string;
  readonly text: string;
}

const secretName =
  /token|secret|passw|credential|authorization|cookie|oauth|(?:api|access|private|encryption).?key/i;
/** Objects whose values are variables or headers of other programs. */
const variablesName = /^(?:env|environment|headers|http_headers)$/i;

/** The settings without values that can be credentials. @throws when the text is no JSON */
export function withoutCredentials(text: string): string {
  return `${JSON.stringify(cleaned(parseJsonWithComments(text)), null, 2)}\n`;
}

function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isSecretText(item)).map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([name, item]) => !holdsCredential(name, item) && !isSecretText(item),
  );
  return Object.fromEntries(kept.map(([name, item]) => [name, cleaned(item)]));
}

/** Switches and numbers, such as `hasToken` or `maxTokens`, are no credentials. */
const holdsCredential = (name: string, value: unknown): boolean =>
  (secretName.test(name) && typeof value !== 'boolean' && typeof value !== 'number') ||
  (variablesName.test(name) && typeof value === 'object');

const isSecretText = (value: unknown): boolean => typeof value === 'string' && redactText(value) !== value;

const readScript = 'exec cat -- "./$1"';
const writeScript = `
mkdir -p -- "$(dirname -- "./$1")" && rm -f -- "./$1.svc-new" && umask 077 && cat >"./$1.svc-new" && chmod "$2" "./$1.svc-new" && mv -f -- "./$1.svc-new" "./$1"`;

interface SettingsFolder {
  /** Name of the section. */
  readonly section: string;
  readonly folder: string;
}

/** Captures settings files of harnesses key by key. A file that is no JSON is left out. */
export async function captureSettings(
  shell: WorkspaceShell,
  archive: ArchiveWriter,
  { section, folder, files }: SettingsFolder & { readonly files: readonly FoundEntry[] },
): Promise<void> {
  const stored: StoredSettings[] = [];
  for (const { path, mode } of files) {
    const text = (await shell.read({ text: readScript, args: [path], workDir: folder })).toString();
    try {
      stored.push({ path, mode: (mode & 0o777).toString(8), text: withoutCredentials(text) });
    } catch {
      // Its keys are unknown: it may hold a credential.
    }
  }
  await archive.add(section, stored.length > 0 ? Buffer.from(JSON.stringify(stored)) : Buffer.alloc(0));
}

/** @param prefix of the folder in the home, as the rules name it */
export async function restoreSettings(
  shell: WorkspaceShell,
  archive: ArchiveReader,
  { section, folder, prefix }: SettingsFolder & { readonly prefix: string },
): Promise<void> {
  if (archive.isEmpty(section)) return;
  const stored = JSON.parse((await archive.read(section)).toString()) as StoredSettings[];
  const allowed = stored.filter(
    ({ path, mode }) => isSettingsFile(`${prefix}${path}`) && /^[0-7]{3}$/.test(mode),
  );
  // Each is one program, and all run at the same time.
  const files = new Map(allowed.map((file) => [file.path, file]));
  const write = ({ path, mode, text }: StoredSettings) =>
    shell.read({ text: writeScript, args: [path, mode], workDir: folder, input: Buffer.from(text) });
  await Promise.all([...files.values()].map(write));
}
