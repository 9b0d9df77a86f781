/** Every slot of a caller is leased, perhaps by requests that have died. The edge never sees it. */
export class SlotsTaken extends Error {
  override readonly name = 'SlotsTaken';

  constructor(readonly leases: readonly string[]) {
    super('Every slot is taken');
  }
}
