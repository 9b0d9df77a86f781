import { expect, it } from 'vitest';
import { TurnBudget } from './turn-budget.js';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('is there again in each turn of the loop, and not before', async () => {
  const budget = new TurnBudget(10);
  for (let turn = 0; turn < 3; turn++) {
    budget.spend(4);
    await Promise.resolve();
    expect(budget.left).toBe(6);
    budget.spend(6);
    expect(budget.left).toBe(0);
    await nextTurn();
    expect(budget.left).toBe(10);
  }
});
