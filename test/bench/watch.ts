import { WatchedFunction } from '../support/watched-function.js';
import { type Measurement, median, percentile } from './measurement.js';

const rounds = 10;

/** From the write of a handler's file to the first answer of the changed handler. */
export async function measureWatch(): Promise<readonly Measurement[]> {
  await using watched = await WatchedFunction.start();
  const samples: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    watched.write(`round ${round}`);
    await watched.untilAnswers(`round ${round}`);
    samples.push(Math.round(performance.now() - began) / 1_000);
  }
  const name = 'Changed handler to its first answer';
  return [
    { name: `${name}, p50 of ${rounds}`, value: median(samples), unit: 's', limit: 5 },
    { name: `${name}, p90`, value: percentile(samples, 0.9), unit: 's' },
  ];
}
