import { afterAll, beforeAll, expect, it } from 'vitest';
import { WatchedFunction } from '../../support/watched-function.js';

let watched: WatchedFunction;
beforeAll(async () => {
  watched = await WatchedFunction.start();
});
afterAll(() => watched?.[Symbol.asyncDispose]());

it('deploys a changed handler while the cloud runs, and says so', async () => {
  await watched.untilAnswers('first');

  watched.write('second');

  await watched.untilAnswers('second');
  expect(watched.replaced).toEqual(['http/utility/health']);
  expect(watched.reports).toEqual([
    expect.stringMatching(/^lambdas\/http\/utility\/health\.ts: one function redeployed in /),
  ]);
});

it('reports a handler that does not build, and deploys it once it does', async () => {
  watched.breakHandler();
  await watched.untilReports('not redeployed');

  watched.write('mended');

  await watched.untilAnswers('mended');
});
