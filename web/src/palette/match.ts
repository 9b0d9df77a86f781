/** What the palette offers. */
export interface Entry {
  readonly id: string;
  readonly group: 'Pages' | 'Projects' | 'Tasks' | 'Actions';
  readonly name: string;
  readonly detail?: string;
  readonly run: () => void;
}

const mostShown = 40;

/** The entries that hold every word of the text; those whose name begins with it come first. */
export function matching(entries: readonly Entry[], text: string): readonly Entry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter(({ group, name, detail = '' }) => {
    const all = `${name} ${detail} ${group}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const begins = ({ name }: Entry) => name.toLowerCase().startsWith(words.join(' '));
  return [...found.filter(begins), ...found.filter((entry) => !begins(entry))].slice(0, mostShown);
}
