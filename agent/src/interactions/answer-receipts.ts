/** The hashes of the last answers of a session, by interaction. The oldest are dropped. */
export class AnswerReceipts {
  private readonly hashes = new Map<string, string>();

  constructor(private readonly limit: number) {}

  find(interactionId: string): string | undefined {
    return this.hashes.get(interactionId);
  }

  add(interactionId: string, hash: string): void {
    this.hashes.set(interactionId, hash);
    const [oldest] = this.hashes.keys();
    if (this.hashes.size > this.limit && oldest !== undefined) this.hashes.delete(oldest);
  }
}
