/** Names of the languages that are highlighted, by what a fence or the end of a file name says. */
const names: Readonly<Record<string, readonly string[]>> = {
  bash: ['sh', 'bash', 'zsh', 'shell'],
  c: ['c', 'h', 'cpp', 'cc', 'hpp', 'c++'],
  csharp: ['cs', 'csharp'],
  css: ['css', 'scss', 'less'],
  dockerfile: ['dockerfile'],
  go: ['go'],
  ini: ['ini', 'toml', 'conf'],
  java: ['java', 'kt', 'kotlin'],
  json: ['json', 'jsonc'],
  markdown: ['md', 'markdown'],
  php: ['php'],
  python: ['py', 'python'],
  ruby: ['rb', 'ruby'],
  rust: ['rs', 'rust'],
  sql: ['sql'],
  typescript: ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs', 'javascript', 'typescript'],
  xml: ['xml', 'html', 'svg', 'vue'],
  yaml: ['yaml', 'yml'],
};
const known: ReadonlyMap<string, string> = new Map(
  Object.entries(names).flatMap(([language, short]) => short.map((one) => [one, language])),
);

/** Undefined: the text stays plain. */
export const languageNamed = (name: string): string | undefined => known.get(name.toLowerCase());

/** By the name of a file. */
export function languageOf(path: string): string | undefined {
  const file = path.slice(path.lastIndexOf('/') + 1);
  return languageNamed(file.slice(file.lastIndexOf('.') + 1));
}
