/** A request of EC2's query protocol: `Action=…&InstanceId.1=…&Filter.1.Name=…`. */
export class QueryRequest {
  private constructor(private readonly parameters: URLSearchParams) {}

  static parse(body: string): QueryRequest {
    return new QueryRequest(new URLSearchParams(body));
  }

  get action(): string {
    return this.parameters.get('Action') ?? '';
  }

  get(name: string): string | undefined {
    return this.parameters.get(name) ?? undefined;
  }

  /** `InstanceId.1`, `InstanceId.2`, … in their order. */
  list(name: string): string[] {
    return this.indexes(name).map((index) => this.parameters.get(`${name}.${index}`) ?? '');
  }

  /** Tags for instances, of `TagSpecification.n.Tag.m`. */
  instanceTags(): Record<string, string> {
    const specifications = this.indexes('TagSpecification').map((index) => `TagSpecification.${index}`);
    const pairs = specifications
      .filter((prefix) => this.parameters.get(`${prefix}.ResourceType`) === 'instance')
      .flatMap((prefix) => this.tags(`${prefix}.Tag`));
    return Object.fromEntries(pairs);
  }

  /** Pairs of `<prefix>.n.Key` and `<prefix>.n.Value`. */
  tags(prefix: string): [string, string][] {
    return this.indexes(prefix).map((index) => [
      this.parameters.get(`${prefix}.${index}.Key`) ?? '',
      this.parameters.get(`${prefix}.${index}.Value`) ?? '',
    ]);
  }

  filters(): { name: string; values: string[] }[] {
    return this.indexes('Filter').map((index) => ({
      name: this.parameters.get(`Filter.${index}.Name`) ?? '',
      values: this.list(`Filter.${index}.Value`),
    }));
  }

  private indexes(prefix: string): number[] {
    const found = new Set<number>();
    for (const key of this.parameters.keys()) {
      if (!key.startsWith(`${prefix}.`)) continue;
      const index = Number(key.slice(prefix.length + 1).split('.')[0]);
      if (Number.isInteger(index)) found.add(index);
    }
    return [...found].sort((a, b) => a - b);
  }
}
