/** One `[[name words]]` of a prompt. */
export interface Directive {
  readonly name: string;
  readonly words: readonly string[];
  /** All after the name, as it stands. */
  readonly rest: string;
}

export function parseDirectives(text: string): Directive[] {
  return [...text.matchAll(/\[\[([\w-]+) ?(.*?)\]\]/gs)].map(([, name = '', rest = '']) => ({
    name,
    words: rest.split(' ').filter(Boolean),
    rest,
  }));
}
