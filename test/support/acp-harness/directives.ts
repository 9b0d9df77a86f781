/** One `[[name words]]` of a prompt. */
export interface Directive {
  readonly name: string;
  readonly words: readonly string[];
  /** The text after the name, unchanged. */
  readonly rest: string;
}

export function parseDirectives(text: string): Directive[] {
  return [...text.matchAll(/\[\[([\w-]+) ?(.*?)\]\]/gs)].map(([, name = '', rest = '']) => ({
    name,
    words: rest.split(' ').filter(Boolean),
    rest,
  }));
}
