export interface NamedTerminal {
  /** Its id on the node. */
  readonly id: string;
  readonly name: string;
}

/** A node runs 20 in a workspace, also those of other windows and of agents. */
export const mostTerminals = 8;
const first: NamedTerminal = { id: 'console', name: 'Terminal 1' };

/** The terminals of a workspace, as this browser remembers them. */
export class TerminalNames {
  private readonly key: string;

  constructor(
    private readonly storage: Pick<Storage, 'getItem' | 'setItem'>,
    workspaceId: string,
  ) {
    this.key = `berth.terminals.${workspaceId}`;
  }

  read(): readonly NamedTerminal[] {
    const known = parse(this.storage.getItem(this.key)).slice(0, mostTerminals);
    return known.length > 0 ? known : [first];
  }

  /** One with a number that is free. */
  add(): NamedTerminal {
    const known = this.read();
    const taken = new Set(known.map(({ id }) => id));
    let number = 2;
    while (taken.has(`console-${number}`)) number += 1;
    const added = { id: `console-${number}`, name: `Terminal ${number}` };
    this.write([...known, added]);
    return added;
  }

  rename(id: string, name: string): void {
    this.write(this.read().map((one) => (one.id === id ? { id, name } : one)));
  }

  remove(id: string): void {
    this.write(this.read().filter((one) => one.id !== id));
  }

  private write(terminals: readonly NamedTerminal[]): void {
    this.storage.setItem(this.key, JSON.stringify(terminals));
  }
}

function parse(text: string | null): readonly NamedTerminal[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter(isNamed) : [];
  } catch {
    return [];
  }
}

const isNamed = (value: unknown): value is NamedTerminal =>
  typeof value === 'object' &&
  value !== null &&
  /^[\w-]{1,128}$/.test(String((value as NamedTerminal).id)) &&
  typeof (value as NamedTerminal).name === 'string';
