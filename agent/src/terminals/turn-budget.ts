/** So much for each turn of the loop, whoever spends it. */
export class TurnBudget {
  private spent = 0;

  constructor(private readonly perTurn: number) {}

  get left(): number {
    return this.perTurn - this.spent;
  }

  spend(amount: number): void {
    if (this.spent === 0 && amount > 0)
      setImmediate(() => {
        this.spent = 0;
      });
    this.spent += amount;
  }
}
