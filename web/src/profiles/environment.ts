import { refusal } from '../ui/problems.js';

/**
 * Lines of `NAME=value`. Without any, nothing changes.
 *
 * @throws {ApiError} a line has another form; its text is not repeated, because it may be a secret
 */
export function readEnvironment(
  text: string,
  removed: readonly string[],
): Readonly<Record<string, string | null>> {
  const lines = text.split('\n').map((line, index) => ({ line: line.trim(), number: index + 1 }));
  const set = lines
    .filter(({ line }) => line !== '')
    .map(({ line, number }) => {
      const at = line.indexOf('=');
      if (at < 1) throw refusal('environment', `Line ${number} is not NAME=value`);
      return [line.slice(0, at).trim(), line.slice(at + 1)] as const;
    });
  return Object.fromEntries([...removed.map((name) => [name, null] as const), ...set]);
}
